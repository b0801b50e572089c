// Takes the luck of the cards out of the points of a deal (docs/luck.md). The code is pure.
#pragma once

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "libs/rating/rating.h"

namespace tarot::rating {

// The parameters of one ladder. They are fitted to the deals of one season and used in the next
// season. They do not change within a season.
struct LadderNumbers {
  int player_count = 4;
  // The number that the bots of the replays add to the value of a hand before they bid
  // (libs/ai/luck/baseline.h).
  double bid_shift = 0;
  // The mean score of each place in replays of many random deals. Place 0 is the seat after the
  // dealer. The means sum to zero.
  std::array<double, kPlayersMax> place_means{};
  // The factor by which the luck is multiplied before it is taken out of the points. It is above 1
  // if the players win and lose more points in a deal than the bots of the replays.
  double luck_share = 0;
  // The weight of a deal is weight_scale / sqrt(max(d, 20)). Here d is the standard deviation of
  // the scores in the deal's replays.
  double weight_scale = 1;
  // The two variances from which a Model is made. noise_variance is sigma^2 of the weighted
  // results. prior_variance is the variance of the players' skills.
  double noise_variance = 1;
  double prior_variance = 1;
};

// The luck of one deal.
struct DealLuck {
  // points[seat] is the number of points that the seat gets because of its cards. The points of all
  // seats sum to zero.
  std::vector<double> points;
  double weight = 1;
};

// Returns the luck of a deal. `mean_scores` has the mean score of each seat over the replays, and
// `deviation` the standard deviation of these scores.
DealLuck LuckOf(const LadderNumbers& numbers, int dealer, absl::Span<const double> mean_scores,
                double deviation);

// Returns the result of each seat: weight * (score - luck). Results sum to zero.
std::vector<double> ResultsOf(const DealLuck& luck, absl::Span<const int> scores);

}  // namespace tarot::rating
