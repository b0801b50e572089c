#include "tools/lab/promises/promises.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tarot::lab {
namespace {

std::vector<Promise> FewPromises(int players) {
  return CollectPromises(*ai::FindPolicy("club"), players, 2, 1, 500);
}

TEST(PromisesTest, EveryPromiseHasTheResultOfItsDeal) {
  for (int players = 3; players <= 5; ++players) {
    const std::vector<Promise> promises = FewPromises(players);
    ASSERT_FALSE(promises.empty());
    EXPECT_EQ(promises.front().deal, 0);
    EXPECT_EQ(promises.back().deal, 1);
    for (const Promise& promise : promises) {
      EXPECT_GE(promise.card, 1);
      EXPECT_LE(promise.card, promise.cards);
      EXPECT_GE(promise.made, 0);
      EXPECT_LE(promise.made, 1);
      EXPECT_EQ(promise.result > 0, promise.attack_won == (promise.role != PromiseRole::kDefender));
    }
  }
}

TEST(PromisesTest, TheSameArgumentsGiveTheSamePromises) {
  const std::vector<Promise> first = FewPromises(4);
  const std::vector<Promise> second = FewPromises(4);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].value, second[i].value);
    EXPECT_EQ(first[i].result, second[i].result);
  }
}

// Deal 0 has the values 1 and 3, deal 1 has the value 5. Their mean is 3. With the mean for each
// value, the sums of the deals would be 6 and 3. The real sums are 4 and 5: 2 lower and 2 higher.
TEST(PromisesTest, TheIntervalTreatsADealAsOneObservation) {
  const std::vector<Promise> promises{
      {.deal = 0, .value = 1}, {.deal = 0, .value = 3}, {.deal = 1, .value = 5}, {.deal = 2}};
  const Estimate estimate = MeanOf(
      promises, [](const Promise& promise) { return promise.deal < 2; },
      [](const Promise& promise) { return promise.value; });
  EXPECT_DOUBLE_EQ(estimate.mean, 3);
  EXPECT_EQ(estimate.deals, 2);
  EXPECT_DOUBLE_EQ(estimate.half_width, 1.96 * std::sqrt(8.0) / 3);
}

TEST(PromisesTest, TheMeanOfNoPromiseIsZero) {
  const Estimate estimate = MeanOf(
      {}, [](const Promise&) { return true; },
      [](const Promise& promise) { return promise.value; });
  EXPECT_EQ(estimate.deals, 0);
  EXPECT_EQ(estimate.mean, 0);
}

}  // namespace
}  // namespace tarot::lab
