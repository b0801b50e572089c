// Fits the numbers of a ladder (LadderNumbers). The fit uses the matches of one season, and the
// next season uses the numbers (docs/luck.md). The code is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rating/luck.h"

namespace tarot::rating {

// One deal of a match, with its baseline (libs/ai/luck). The deal was scored, or all players
// passed.
struct PlayedDeal {
  int dealer = 0;
  std::vector<int> scores;          // The score of each seat; all are zero if all players passed.
  std::vector<double> mean_scores;  // The mean score of each seat over the replays.
  double deviation = 0;             // The standard deviation of the scores of the replays.
};

struct PlayedMatch {
  std::vector<int> players;  // The player of each seat, as a number from 0.
  std::vector<PlayedDeal> deals;
  int scored = 0;  // The number of scored deals. It is at least 1.
};

struct LadderFit {
  LadderNumbers numbers;
  // The share of the variance of the scores that the ladder's numbers remove, from 0 to 1. The
  // numbers are fitted to every second match. The share is measured over all deals of the other
  // matches. These deals include deals that all players passed.
  double luck_removed = 0;
  // The variance of the results, divided by the variance of plain points. It is measured with the
  // same numbers and the same matches as luck_removed.
  double variance_ratio = 1;
  // The number of deals in the matches. It includes deals that all players passed.
  std::int64_t deals = 0;
};

// Fits luck_share, weight_scale and the two variances. The caller must set the other members of
// `numbers`. If `luck_share` is given, the function uses it and does not fit it. For the first
// season of a ladder, a caller gives a lower share, because then `matches` are matches of other
// players. Returns FAILED_PRECONDITION with a message for operators in three cases:
// - The numbers would add variance to the points.
// - The weighted results would vary more than plain points.
// - The matches are too few to show that some players are better than others.
absl::StatusOr<LadderFit> FitLadder(const std::vector<PlayedMatch>& matches, LadderNumbers numbers,
                                    std::optional<double> luck_share = std::nullopt);

// Returns the fitted luck share. It is the slope in a regression of the points on the luck, over
// all deals.
double FitLuckShare(LadderNumbers numbers, const std::vector<PlayedMatch>& matches);

// Fits the two variances of a ladder that uses plain points: luck stays in the points, and every
// deal has weight 1. Callers compare the result of FitLadder() with this result.
LadderNumbers FitPlainPoints(const std::vector<PlayedMatch>& matches, int player_count);

// Returns the luck of one deal of a season.
DealLuck LuckIn(const LadderNumbers& numbers, const PlayedDeal& deal);

// Returns the share of the variance of the scores that `numbers` remove, over all deals of
// `matches`. The result is negative if the numbers add variance.
double LuckRemoved(const LadderNumbers& numbers, const std::vector<PlayedMatch>& matches);

// Returns the result of each seat of a match: the sum of the results of its deals, divided by the
// number of scored deals.
std::vector<double> ResultsOfMatch(const LadderNumbers& numbers, const PlayedMatch& match);

// Returns the points of each seat of a match, divided by the number of scored deals.
std::vector<double> PointsOfMatch(const PlayedMatch& match);

}  // namespace tarot::rating
