// The options of a load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace tarot::load {

struct Options {
  // The addresses host:port of all gateways. The list repeats them `roads` times, once for each
  // network path to the gateways (a road). Player n uses road n % roads.
  std::vector<std::string> gateways;
  int roads = 1;
  // Number of tables at one time. After a match, the players of this match start another match at a
  // new table.
  int tables = 20;

  // The queue that players join. If it is empty, the load itself makes tables at `rules`, as
  // matchmaking does.
  std::string queue;
  std::vector<std::string> rules;  // Addresses host:port.
  std::string internal_key_file;
  int cell = 0;        // The cell of `rules`, and of the tables that the load makes.
  int bots = 0;        // Number of bots at each table that the load makes.
  int deal_count = 1;  // Number of deals at each table that the load makes.
  // If true, the tables that the load makes have three, four and five seats and several rule sets.
  // If false, they have four seats and the rule set fft.
  bool varied = false;

  absl::Duration think = absl::Milliseconds(200);  // The average time before each action.
  // The share of views after which a client closes its watch, and the share of calls that it
  // cancels. The client chooses these views and calls at random, and acts as if the connection were
  // lost.
  double drop_rate = 0.02;
  std::uint64_t seed = 1;
};

}  // namespace tarot::load
