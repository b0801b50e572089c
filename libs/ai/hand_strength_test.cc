#include "libs/ai/hand_strength.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"

namespace tarot::ai {
namespace {

using rules::CardSet;

TEST(HandStrengthTest, IsTheMarginOfTheBidModelForDealtHands) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const int players = 3 + rng.Below(3);
    const rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    for (int place = 0; place < players; ++place) {
      const CardSet hand = deal.hands[static_cast<std::size_t>(place)];
      EXPECT_EQ(HandStrength::For(players).Margin(hand, place),
                MarginOfHand(FeaturesOf(hand, place, players), players, false))
          << "deal " << seed << ", place " << place;
    }
  }
}

// The table of high trumps counts at most twelve master trumps, and this hand has thirteen.
TEST(HandStrengthTest, CountsMoreMasterTrumpsThanItsTableHas) {
  const CardSet trumps = CardSet::TrumpsAbove(8);
  EXPECT_EQ(HandStrength::For(4).Margin(trumps, 1),
            MarginOfHand(FeaturesOf(trumps, 1, 4), 4, false));
}

}  // namespace
}  // namespace tarot::ai
