// Runs the load of gateway_load.h on the bare relay (bare_relay.cc) instead of the platform. The
// number of tables, players, streams and moves per second is the same, and so are the sizes of the
// messages. The result is the CPU time that gRPC and libpqxx alone need for a move on this machine.
// CPU times of different machines cannot be compared. But each machine gives a ratio: the
// platform's CPU time divided by the bare relay's CPU time. These ratios can be compared between
// machines.
#pragma once

#include <string>

namespace tarot::bench {

// Mean sizes of a move's messages, in bytes.
struct MoveBytes {
  double request = 0;
  double answer = 0;
  double shared = 0;  // The part of a view that all players see.
  double own = 0;     // The part of a view that only one player sees.
};

struct BareResult {
  double moves_per_s = 0;
  double relay_us_per_move = 0;    // CPU time of the process that replaces the gateway.
  double backend_us_per_move = 0;  // CPU time of the process that replaces the rules service.
};

// Starts the program bare_relay twice, as "backend" and as "relay". Plays for `seconds`, then ends
// both processes. `database` is the platform's database; the moves go to a separate SQL table of
// this database.
BareResult RunBareLoad(const std::string& database, int tables, double seconds, double moves_per_s,
                       const MoveBytes& bytes);

}  // namespace tarot::bench
