// Simulates seasons of a ladder: bots of different strength play matches at random tables.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/ai/luck/bid_shift.h"
#include "libs/ai/luck/replay.h"
#include "libs/rating/ladder_fit.h"

namespace tarot::lab {

struct SeasonOptions {
  int player_count = 4;
  int population = 200;
  int scored_deals = 6;  // Scored deals of a match.
  int rounds = 80;       // In a round, each player plays one match.
  std::uint64_t seed = 1;
};

struct Season {
  std::vector<rating::PlayedMatch> matches;
  std::vector<ai::LuckSample> deals;  // All deals of `matches`, in the order of the matches.
};

// Returns `size` bots. They differ in the share of random cards, in the shift of their bids and in
// the noise of their bids. The same seed gives the same bots, and a larger `size` only adds bots.
std::vector<ai::ReplayBot> Population(int size, std::uint64_t seed);

// Plays the matches of a season, round after round. If the number of bots is not a multiple of the
// number of players at a table, some bots pause in each round. The deals have no baselines.
Season PlaySeason(const std::vector<ai::ReplayBot>& population, const SeasonOptions& options);

// Computes the baselines of all deals of `season`. In the replays, the bots bid with `bid_shift`.
void AddBaselines(double bid_shift, Season& season);

// Returns the true skill of each bot: its mean points per scored deal in `rounds` rounds at random
// tables.
std::vector<double> TrueSkills(const std::vector<ai::ReplayBot>& population, SeasonOptions options,
                               int rounds);

}  // namespace tarot::lab
