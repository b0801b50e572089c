#include "libs/ai/style.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {
namespace {

// From every card of novices' deals, in a sampled world: legal to the end, whoever plays.
TEST(StyleTest, PlayOutsAreLegal) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 3 + rng.Below(3), rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = MakeView(deal, deal.turn);
      if (view.phase == rules::Phase::kPlaying) {
        Table table =
            MakeTable(view, Sampler(*Know(view), view.viewer, view.hand, Rng(seed)).Next());
        const int left = table.held.Size();
        const StyleScores scores = ScoreCards(table, kStyleOfPlay);
        EXPECT_EQ(scores.legal, table.Legal());
        EXPECT_EQ(scores.count, scores.legal.Size());
        EXPECT_EQ(StylePlayOut(table, kStyleOfPlay), left);
        EXPECT_TRUE(table.Over());
      }
      const Decision next = FindPolicy("novice")->Choose(view, Rng(0), {});
      ASSERT_TRUE(Apply(deal, deal.turn, next.action).ok());
    }
  }
}

// What makes the style better than any legal card: it knows what to do with the cards that hurt.
TEST(StyleTest, KnowsTheFirstLessons) {
  Table table;
  table.players = table.playing = 4;
  table.taker = 0;
  table.attack = 1;
  const auto suit = [](int rank) { return rules::SuitCard(rules::Suit::kHearts, rank); };
  table.hands[0] = {suit(3), suit(14), rules::Trump(9)};
  table.hands[1] = {suit(2), suit(13), rules::Trump(4)};
  table.hands[2] = {suit(5), suit(6), rules::Trump(12)};
  table.hands[3] = {suit(7), suit(8), rules::kPetit};
  for (const rules::CardSet hand : table.hands) table.held |= hand;
  table.waiting = table.Everybody();
  table.turn = 0;
  table.Play(suit(14));
  // The Queen stays in hand under the taker's King.
  const StyleScores scores = ScoreCards(table, kStyleOfPlay);
  ASSERT_EQ(scores.count, 2);
  EXPECT_GT(scores.score[0], scores.score[1]);
}

}  // namespace
}  // namespace tarot::ai
