#include "libs/rating/luck.h"

#include <algorithm>
#include <cmath>

#include "libs/base/check.h"

namespace tarot::rating {
namespace {

// If the standard deviation of a deal's replays is below this number of points, the weight of the
// deal is computed as if it were this number.
constexpr double kDeviationMin = 20;

}  // namespace

DealLuck LuckOf(const LadderNumbers& numbers, int dealer, absl::Span<const double> mean_scores,
                double deviation) {
  const int n = numbers.player_count;
  TAROT_CHECK(static_cast<int>(mean_scores.size()) == n);
  DealLuck luck;
  // The numbers in place_means are rounded to a few digits. So their sum may be a little above or
  // below zero.
  double rest = 0;
  for (int place = 0; place < n; ++place) {
    rest += numbers.place_means[static_cast<std::size_t>(place)] / n;
  }
  for (int seat = 0; seat < n; ++seat) {
    const auto place = static_cast<std::size_t>((seat - dealer - 1 + n) % n);
    luck.points.push_back(numbers.luck_share * (mean_scores[static_cast<std::size_t>(seat)] -
                                                numbers.place_means[place] + rest));
  }
  luck.weight = numbers.weight_scale / std::sqrt(std::max(deviation, kDeviationMin));
  return luck;
}

std::vector<double> ResultsOf(const DealLuck& luck, absl::Span<const int> scores) {
  TAROT_CHECK(luck.points.size() == scores.size());
  std::vector<double> results;
  for (std::size_t seat = 0; seat < scores.size(); ++seat) {
    results.push_back(luck.weight * (scores[seat] - luck.points[seat]));
  }
  return results;
}

}  // namespace tarot::rating
