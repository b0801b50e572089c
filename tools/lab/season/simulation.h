// Simulates seasons of a ladder: a population of bots of different strength that meet at random
// tables. It shows how well ratings find the true order of the players.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/ai/luck/baseline.h"
#include "libs/ai/luck/replay.h"
#include "libs/rating/luck.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::lab {

// A deal that was dealt in a match, passed out or scored.
struct SeasonDeal {
  rules::Seat dealer = 0;
  std::vector<int> scores;  // By seat; zeros if all passed.
  ai::Baseline baseline;
};

struct SeasonMatch {
  std::vector<int> players;  // By seat: indices into the population.
  std::vector<SeasonDeal> deals;
  int scored = 0;  // Number of scored deals.
};

struct SeasonOptions {
  int player_count = 4;
  int population = 200;
  int scored_deals = 6;  // Scored deals of a match.
  int rounds = 80;       // In a round, each player plays one match.
  double bid_shift = 0;  // The bid shift of the baselines.
  std::uint64_t seed = 1;
};

// Returns a population of bots. They differ in the number of random cards, in the shift of their
// bids and in the noise of their bids. Bots 0 to `size` - 1 of one seed are always the same.
std::vector<ai::ReplayBot> Population(int size, std::uint64_t seed);

// Plays the matches of a season, round after round. If the player count does not divide the
// population, some players pause in each round.
std::vector<SeasonMatch> PlaySeason(const std::vector<ai::ReplayBot>& population,
                                    const SeasonOptions& options);

// Returns the mean of the baselines by place after the dealer, over `deals` random deals.
std::array<double, rules::kPlayersMax> PlaceMeans(int player_count, double bid_shift, int deals,
                                                  std::uint64_t seed);

}  // namespace tarot::lab
