#include "libs/rating/collusion.h"

#include <gtest/gtest.h>

#include "libs/base/rng.h"

namespace tarot::rating {
namespace {

constexpr int kPlayers = 30;

double Normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.Below(1'000'001) / 1e6;
  return sum;
}

// Returns random deals of four players. Some players defend better than others, and some takers are
// harder to beat. Players 0 and 1 help each other: if one of them is the taker, the other's credit
// is lower by `help`. About one credit in a hundred is higher by 100.
std::vector<DefendedDeal> Deals(double help, int count = 20'000) {
  Rng rng(3);
  std::vector<int> order(kPlayers);
  for (int i = 0; i < kPlayers; ++i) order[static_cast<std::size_t>(i)] = i;
  std::vector<DefendedDeal> deals;
  for (int i = 0; i < count; ++i) {
    rng.Shuffle(order);
    DefendedDeal deal{.taker = order[0]};
    for (std::size_t seat = 1; seat < 4; ++seat) {
      const int player = order[seat];
      double credit = player * 0.3 - deal.taker * 0.2 + 10 * Normal(rng);
      if (rng.Below(100) == 0) credit += 100;
      if (player + deal.taker == 1) credit -= help;
      deal.defenders.push_back({.player = player, .credit = credit});
    }
    deals.push_back(deal);
  }
  return deals;
}

TEST(CollusionTest, FlagsNoHonestPair) {
  const std::vector<PairResult> results = TestPairs(Deals(0), 0.01);
  ASSERT_EQ(results.size(), kPlayers * (kPlayers - 1) / 2U);
  double squares = 0;
  for (const PairResult& result : results) {
    EXPECT_FALSE(result.flagged) << result.first << " " << result.second << " z " << result.z;
    squares += result.z * result.z / static_cast<double>(results.size());
  }
  EXPECT_NEAR(squares, 1, 0.15);
}

TEST(CollusionTest, FlagsThePairThatHelps) {
  const std::vector<PairResult> results = TestPairs(Deals(8), 0.01);
  EXPECT_EQ(results[0].first, 0);
  EXPECT_EQ(results[0].second, 1);
  EXPECT_TRUE(results[0].flagged);
  EXPECT_NEAR(results[0].lost_credit, 8, 4);
  EXPECT_FALSE(results[1].flagged);
}

// Two players who defend better against each other than usual do nothing wrong.
TEST(CollusionTest, DoesNotFlagAPairThatFightsHard) {
  for (const PairResult& result : TestPairs(Deals(-8), 0.01)) EXPECT_FALSE(result.flagged);
}

TEST(CollusionTest, DoesNotTestPairsWithFewDeals) {
  EXPECT_TRUE(TestPairs(Deals(50, 300), 0.01).empty());
  EXPECT_TRUE(TestPairs({}, 0.01).empty());
}

}  // namespace
}  // namespace tarot::rating
