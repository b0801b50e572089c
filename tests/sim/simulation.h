// One run: the platform plays while everything that can fails, then in peace until all is done.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/cluster.h"

namespace tarot::sim {

struct Report {
  std::string failure;     // Empty when every invariant held.
  std::string notes;       // The last of what happened.
  std::uint64_t hash = 0;  // Of all that happened.
  absl::Duration span;     // In the world.
  int matches = 0;
  int entries = 0;  // In the logs.
  int acknowledged = 0;
  int views = 0;
  int clock_moves = 0;
};

Report Simulate(const Options& options);

// What a seed is: how many of whom, and for how long it is bad.
Options OptionsOf(std::uint64_t seed);

}  // namespace tarot::sim
