#include "libs/dealing/shuffle.h"

#include <gtest/gtest.h>

#include <set>

#include "libs/base/entropy.h"
#include "libs/rules/cards.h"

namespace tarot::dealing {
namespace {

TEST(ShuffleTest, IsAPermutationAndNeverChangesItsValues) {
  DealSeed seed{};
  const rules::PackOrder order = ShuffledPack(seed);
  const std::set<rules::Card> seen(order.begin(), order.end());
  EXPECT_EQ(seen.size(), 78u);
  std::string start;  // Never change these cards, because a stored seed must give the same deal.
  for (int i = 0; i < 5; ++i) start += rules::CardText(order[static_cast<std::size_t>(i)]) + " ";
  EXPECT_EQ(start, "H7 S2 T3 T16 C5 ");
  seed[63] = 1;
  EXPECT_NE(ShuffledPack(seed), order);
}

// Tests that every card is equally likely at every position of the pack. It is a chi-square test
// with 78 x 78 cells.
TEST(ShuffleTest, EveryCardIsEquallyLikelyEverywhere) {
  SeededEntropy entropy(2026);
  constexpr int kDeals = 20000;
  std::array<std::array<int, 78>, 78> count{};
  for (int i = 0; i < kDeals; ++i) {
    DealSeed seed;
    entropy.Fill(absl::MakeSpan(seed));
    const rules::PackOrder order = ShuffledPack(seed);
    for (std::size_t at = 0; at < order.size(); ++at) {
      ++count[at][static_cast<std::size_t>(rules::Index(order[at]))];
    }
  }
  const double expected = kDeals / 78.0;
  double chi2 = 0;
  for (const auto& row : count) {
    for (const int n : row) chi2 += (n - expected) * (n - expected) / expected;
  }
  // There are 77 * 77 = 5929 degrees of freedom, with a standard deviation of 109. The limit is
  // five standard deviations.
  EXPECT_GT(chi2, 5929 - 545);
  EXPECT_LT(chi2, 5929 + 545);
}

TEST(CommitTest, IsTheSha256OfTheSeed) {
  const Commitment commitment = Commit(DealSeed{});  // The SHA-256 of 64 zero bytes.
  EXPECT_EQ(commitment[0], 0xf5);
  EXPECT_EQ(commitment[1], 0xa5);
  EXPECT_EQ(commitment[31], 0x4b);
}

}  // namespace
}  // namespace tarot::dealing
