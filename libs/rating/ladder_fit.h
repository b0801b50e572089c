// Fits the numbers of a ladder to the matches of one season, for the season after it
// (docs/luck.md). The code is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rating/luck.h"

namespace tarot::rating {

// A deal that was dealt in a match, passed out or scored, with its baseline (libs/ai/luck).
struct PlayedDeal {
  int dealer = 0;
  std::vector<int> scores;          // The score of each seat; all are zero if all players passed.
  std::vector<double> mean_scores;  // The mean score of each seat over the replays.
  double deviation = 0;             // The standard deviation of the scores of the replays.
};

struct PlayedMatch {
  std::vector<int> players;  // The player of each seat, as a number from 0.
  std::vector<PlayedDeal> deals;
  int scored = 0;  // Number of scored deals, at least 1.
};

struct LadderFit {
  LadderNumbers numbers;
  // The share of the variance of the scores that the ladder's numbers remove, from 0 to 1. It is
  // measured over all dealt deals of every second match, with numbers that were fitted to the other
  // matches.
  double luck_removed = 0;
  // The variance of the results, divided by the variance of plain points. It is measured with the
  // same numbers and matches as luck_removed.
  double variance_ratio = 1;
  std::int64_t deals = 0;  // Number of dealt deals in the matches.
};

// Fits luck_share, weight_scale and the two variances; the other members of `numbers` must be set.
// If `luck_share` is given, the function uses it and does not fit it. A caller gives a lower share
// for the first season of a ladder, because `matches` are then matches of other players. Returns
// FAILED_PRECONDITION with a message for operators in three cases:
// - The numbers would add variance to the points.
// - The weighted results would vary more than plain points.
// - The matches are too few to show that some players are better than others.
absl::StatusOr<LadderFit> FitLadder(const std::vector<PlayedMatch>& matches, LadderNumbers numbers,
                                    std::optional<double> luck_share = std::nullopt);

// Returns the luck share of the fit: the slope of the points as a function of the luck, over all
// dealt deals.
double FitLuckShare(LadderNumbers numbers, const std::vector<PlayedMatch>& matches);

// Fits the two variances of a ladder that uses plain points: luck stays in the points, and every
// deal has weight 1. A caller compares FitLadder() with it.
LadderNumbers FitPlainPoints(const std::vector<PlayedMatch>& matches, int player_count);

// Returns the luck of one deal of a season.
DealLuck LuckIn(const LadderNumbers& numbers, const PlayedDeal& deal);

// Returns the share of the variance of the scores that `numbers` remove from all dealt deals of
// `matches`. The result is negative if they add variance.
double LuckRemoved(const LadderNumbers& numbers, const std::vector<PlayedMatch>& matches);

// Returns the result of each seat of a match: the sum of the results of its deals, divided by the
// number of scored deals.
std::vector<double> ResultsOfMatch(const LadderNumbers& numbers, const PlayedMatch& match);

// Returns the points of each seat of a match, divided by the number of scored deals.
std::vector<double> PointsOfMatch(const PlayedMatch& match);

}  // namespace tarot::rating
