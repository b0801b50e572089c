// Measures durable moves through the gateway. The services are processes, Postgres uses fsync, and
// each player watches the table on a stream.
#pragma once

#include <memory>

#include "tests/bench/bare_load.h"
#include "tests/bench/cluster_load.h"

namespace tarot::bench {

struct GatewayResult {
  double moves_per_s = 0;
  double answer_p50_ms = 0, answer_p99_ms = 0;  // The time from a move to its answer.
  // The time from a move until the last of four watchers has seen it.
  double watch_p99_ms = 0;
  int lost = 0;  // Moves that the platform did not answer, although the client repeated them.
  Cpu cpu_us_per_move;
  MoveBytes bytes;
};

// Plays at tables of four players under fft, with at most one move in flight at each.
class GatewayLoad {
 public:
  // The players connect to `address`. If `address` is empty, the players connect to the gateway.
  // They share one connection, or each has its own.
  GatewayLoad(e2e::Cluster& cluster, int tables, const std::string& address = "",
              bool own_connections = false);
  ~GatewayLoad();

  // If `moves_per_s_max` is 0, players move at once. If not, the load makes this number of moves
  // per second, evenly spaced.
  GatewayResult Run(double seconds, double moves_per_s_max = 0);

  // Holds all moves back until the next Run. Without this call, players move at once between two
  // runs.
  void Pause();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tarot::bench
