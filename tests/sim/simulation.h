// Simulates one run: players play while faults happen, and then without faults until all matches
// are over.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/cluster.h"

namespace tarot::sim {

struct Report {
  std::string failure;     // Empty if every invariant held.
  std::string notes;       // The last lines of the run's notes.
  std::uint64_t hash = 0;  // Covers all notes.
  absl::Duration span;     // Virtual time.
  int matches = 0;
  int entries = 0;  // Number of log entries.
  int acknowledged = 0;
  int views = 0;
  int clock_moves = 0;
  int claims = 0;      // Number of stored claims.
  int talks = 0;       // Number of stored phrases and mutes.
  int voids = 0;       // Number of deals that an operator cancelled.
  int cards_back = 0;  // Number of cards that were taken back.
  int breaks = 0;
  // Number of times that matchmaking found the end of a match before rules had reported it.
  int ends_found = 0;
};

Report Simulate(const Options& options);

// Returns the options of a seed: number of players and matches, length of the faults.
Options OptionsOf(std::uint64_t seed);

}  // namespace tarot::sim
