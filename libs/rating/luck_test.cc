#include "libs/rating/luck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace tarot::rating {
namespace {

LadderNumbers Numbers() {
  return {.player_count = 4,
          .place_means = {-3, -1, 1, 3},
          .luck_share = 0.5,
          .weight_scale = 6,
          .noise_variance = 100,
          .prior_variance = 10};
}

TEST(LuckTest, TakesTheMeanOfThePlaceOutOfTheScoresOfTheReplays) {
  // Seat 2 deals, so seat 3 has place 0.
  const std::vector<double> means{10, -20, 4, 6};
  const DealLuck luck = LuckOf(Numbers(), 2, means, 36);
  EXPECT_EQ(luck.points, (std::vector<double>{0.5 * 11, 0.5 * -21, 0.5 * 1, 0.5 * 9}));
  EXPECT_EQ(luck.weight, 1);
}

TEST(LuckTest, ADealWithWideReplaysCountsLess) {
  const std::vector<double> means(4, 0);
  const double calm = LuckOf(Numbers(), 0, means, 25).weight;
  const double wild = LuckOf(Numbers(), 0, means, 100).weight;
  EXPECT_DOUBLE_EQ(calm / wild, 2);
  // A deviation below 20 gives the same weight as 20.
  EXPECT_EQ(LuckOf(Numbers(), 0, means, 20).weight, LuckOf(Numbers(), 0, means, 1).weight);
}

TEST(LuckTest, ResultsSumToZero) {
  const std::vector<double> means{40, -30, -20, 10};
  const DealLuck luck = LuckOf(Numbers(), 1, means, 50);
  const std::vector<double> results = ResultsOf(luck, {{90, -30, -30, -30}});
  EXPECT_NEAR(std::accumulate(results.begin(), results.end(), 0.0), 0, 1e-9);
  EXPECT_DOUBLE_EQ(results[0], 6 / std::sqrt(50.0) * (90 - 0.5 * 39));
}

// A deal that all players passed also has results. A seat with good cards then gets a negative
// result, because it did not use its luck.
TEST(LuckTest, APassedDealHasAResult) {
  const std::vector<double> means{40, -30, -20, 10};
  const DealLuck luck = LuckOf(Numbers(), 1, means, 25);
  EXPECT_LT(ResultsOf(luck, {{0, 0, 0, 0}})[0], 0);
}

}  // namespace
}  // namespace tarot::rating
