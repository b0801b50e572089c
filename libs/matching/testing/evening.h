// Simulates a queue with a matcher. Players arrive at random, with ratings of mean 1500 and
// standard deviation 300, and a wave runs every two seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/rng.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {

using MatcherFunction =
    std::function<MatchWave(absl::Span<const MatchTicket>, int, absl::Time, absl::Duration)>;

// MakeTables() without round trips.
inline MatchWave MakeNearTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                                absl::Duration block_wait) {
  return MakeTables(tickets, seats, now, block_wait);
}

struct EveningOptions {
  double arrivals_per_second = 1;
  int players = 20'000;  // No player comes twice.
  std::uint64_t seed = 1;
  // If true, one player in ten blocks the player who arrived just before this player.
  bool blocks = false;
  absl::Duration block_wait = absl::InfiniteDuration();  // The argument of MakeTables().
  MatcherFunction matcher = MakeNearTables;
};

struct Evening {
  std::vector<double> waits;    // The waiting time of each player with a table, in seconds.
  std::vector<double> spreads;  // The spread of each table.
  // The number of pairs of players with a block between them who sat at the same table.
  int blocks_met = 0;
  // True if two players with a block between them sat at the same table although one of them had
  // waited for less than `block_wait`.
  bool met_too_early = false;
};

struct RegularsOptions {
  int players = 60;
  absl::Duration match = absl::Minutes(10);      // The length of a match.
  absl::Duration pause_max = absl::Seconds(60);  // A pause after a match is at most this long.
  absl::Duration length = absl::Hours(24);
  std::uint64_t seed = 1;
  MatcherFunction matcher = MakeNearTables;
};

struct Regulars {
  std::vector<double> waits, spreads;  // The same as in Evening.
  // Shares of the pairs of players at one table. `met_last` is the share of the pairs who also sat
  // together at the last table of both players. `met_last_three` is the share of the pairs who sat
  // together at one of the last three tables of both players.
  double met_last = 0, met_last_three = 0;
};

// Simulates regular players: each player makes a new ticket after each match.
Regulars SimulateRegulars(const RegularsOptions& options);

// Returns a rating that is nearly normally distributed, with mean 1500 and standard deviation 300.
int NormalRating(Rng& rng);

// Simulates a queue for tables of four players, until all players of `options` have arrived.
Evening Simulate(const EveningOptions& options);

}  // namespace tarot::matching
