#include "libs/ai/style.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {
namespace {

// Plays deals between novices. Before every card, the test samples a world and plays it out with
// the learned style.
TEST(StyleTest, PlayOutsAreLegal) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 3 + rng.Below(3), rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      if (view.phase == rules::Phase::kPlaying) {
        FastDeal fast =
            MakeFastDeal(view, Sampler(*Know(view), view.viewer, view.hand, Rng(seed)).Next());
        const int left = fast.held.Size();
        const StyleScores scores = ScoreCards(fast, kFittedStyle);
        EXPECT_EQ(scores.legal, fast.Legal());
        EXPECT_EQ(scores.count, scores.legal.Size());
        EXPECT_EQ(StylePlayOut(fast, kFittedStyle), left);
        EXPECT_TRUE(fast.Over());
      }
      const Decision next = FindPolicy("novice")->Choose(view, Rng(0), {});
      ASSERT_TRUE(Apply(deal, deal.turn, next.action).ok());
    }
  }
}

// A good player does not play an honour to a trick that the other camp wins. The fitted weights
// must prefer the low card.
TEST(StyleTest, SavesAnHonourFromALostTrick) {
  FastDeal deal;
  deal.players = deal.playing = 4;
  deal.taker = 0;
  deal.attack = 1;
  const auto suit = [](int rank) { return rules::SuitCard(rules::Suit::kHearts, rank); };
  deal.hands[0] = {suit(3), suit(14), rules::Trump(9)};
  deal.hands[1] = {suit(2), suit(13), rules::Trump(4)};
  deal.hands[2] = {suit(5), suit(6), rules::Trump(12)};
  deal.hands[3] = {suit(7), suit(8), rules::kPetit};
  for (const rules::CardSet hand : deal.hands) deal.held |= hand;
  deal.waiting = deal.AllSeats();
  deal.turn = 0;
  deal.Play(suit(14));
  // The defender keeps the Queen when the taker's King wins.
  const StyleScores scores = ScoreCards(deal, kFittedStyle);
  ASSERT_EQ(scores.count, 2);
  EXPECT_GT(scores.score[0], scores.score[1]);
}

}  // namespace
}  // namespace tarot::ai
