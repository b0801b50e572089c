// Fits the numbers of a ladder to the matches of one season, for the season after it
// (docs/luck.md).
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rating/luck.h"
#include "tools/lab/season/simulation.h"

namespace tarot::lab {

struct LadderFit {
  rating::LadderNumbers numbers;
  // The part of the variance of the scores that the numbers take out, 0 to 1. It is measured over
  // all dealt deals of every second match, with numbers that were fitted to the other matches.
  double luck_removed = 0;
  std::int64_t deals = 0;  // Number of dealt deals in the matches.
};

// Fits the numbers to `matches`, whose baselines were made with `bid_shift`. Each of the
// `population` players must have played at least two matches. Returns FAILED_PRECONDITION if the
// numbers would add variance to the results, instead of taking it out. If `luck_share` is set, it
// is not fitted: a first season takes less luck out, because its players are not the bots of the
// fit.
absl::StatusOr<LadderFit> FitLadder(const std::vector<SeasonMatch>& matches, int player_count,
                                    int population, double bid_shift,
                                    const std::array<double, rating::kPlayersMax>& place_means,
                                    std::optional<double> luck_share = std::nullopt);

// Fits the numbers of a ladder that takes plain points: no luck is taken out, and every deal has
// weight 1. It is the baseline with which FitLadder() is compared.
LadderFit FitPlainPoints(const std::vector<SeasonMatch>& matches, int player_count, int population);

// Returns the luck of one deal of a season.
rating::DealLuck LuckIn(const rating::LadderNumbers& numbers, const SeasonDeal& deal);

// Returns the part of the variance of the scores that `numbers` take out of all dealt deals of
// `matches`. It is negative if they add variance.
double LuckRemoved(const rating::LadderNumbers& numbers, const std::vector<SeasonMatch>& matches);

// Returns the result of each seat of a match: the sum of the results of its deals, divided by the
// number of scored deals.
std::vector<double> ResultsOfMatch(const rating::LadderNumbers& numbers, const SeasonMatch& match);

// Returns the points of each seat of a match, divided by the number of scored deals.
std::vector<double> PointsOfMatch(const SeasonMatch& match);

}  // namespace tarot::lab
