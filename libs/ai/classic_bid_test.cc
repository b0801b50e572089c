#include "libs/ai/classic_bid.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"
#include "libs/rules/cards.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;
using rules::Suit;

CardSet Trumps(std::initializer_list<int> ranks) {
  CardSet cards;
  for (const int rank : ranks) cards.Insert(rules::Trump(rank));
  return cards;
}

CardSet OfSuit(Suit suit, std::initializer_list<int> ranks) {
  CardSet cards;
  for (const int rank : ranks) cards.Insert(SuitCard(suit, rank));
  return cards;
}

// The published method gives these two hands as examples: "60 points, Garde" and "34 points,
// Passe".
CardSet GardeHand() {
  return Trumps({21, 19, 12, 6, 1}) | CardSet{rules::kExcuse} |
         OfSuit(Suit::kHearts, {14, 12, 10, 8, 1}) | OfSuit(Suit::kDiamonds, {11, 8}) |
         OfSuit(Suit::kClubs, {13, 12, 7}) | OfSuit(Suit::kSpades, {6, 4});
}
CardSet PassHand() {
  return Trumps({20, 18, 14, 13, 9, 8, 6}) | OfSuit(Suit::kHearts, {14, 10, 5, 4}) |
         OfSuit(Suit::kDiamonds, {14, 13}) | OfSuit(Suit::kClubs, {7, 8}) |
         OfSuit(Suit::kSpades, {8, 7, 5});
}

// Returns the bid of a player with `hand` after the bid `before`.
Contract BidWith(CardSet hand, Contract before) {
  rules::View view;
  view.rules = rules::FindRuleSet("fft")->rules;
  view.hand = hand;
  view.bids[0] = before;
  view.bid_count = 1;
  for (std::size_t c = 0; c < view.legal.bids.size(); ++c) {
    view.legal.bids[c] = c == 0 || c > static_cast<std::size_t>(before);
  }
  return ClassicBid(view);
}

TEST(ClassicBidTest, MatchesTheExamplesOfTheSource) {
  ASSERT_EQ(GardeHand().Size(), 18);
  EXPECT_EQ(ClassicValue(GardeHand(), false), 60);
  EXPECT_EQ(BidWith(GardeHand(), Contract::kPass), Contract::kGarde);
  ASSERT_EQ(PassHand().Size(), 18);
  EXPECT_EQ(ClassicValue(PassHand(), false), 34);
  EXPECT_EQ(BidWith(PassHand(), Contract::kPass), Contract::kPass);
}

TEST(ClassicBidTest, CountsVoidsAndSingletonsOverAnotherBid) {
  const CardSet hand = Trumps({20, 19, 18, 10, 9, 8, 7}) | OfSuit(Suit::kHearts, {14, 13, 12, 4}) |
                       OfSuit(Suit::kDiamonds, {14, 13, 10, 7, 6, 2}) | OfSuit(Suit::kClubs, {2});
  ASSERT_EQ(hand.Size(), 18);
  // The hand has 52 points: 14 for its number of trumps, 9 for its three highest trumps, 10 + 2 +
  // 10 for honours, and 7 for a suit of six cards. Distribution adds 6 + 3.
  EXPECT_EQ(ClassicValue(hand, false), 52);
  EXPECT_EQ(ClassicValue(hand, true), 61);
  EXPECT_EQ(BidWith(hand, Contract::kPass), Contract::kPrise);
  EXPECT_EQ(BidWith(hand, Contract::kPrise), Contract::kGarde);
  EXPECT_EQ(BidWith(hand, Contract::kGarde), Contract::kPass);
}

TEST(ClassicBidTest, DiffersFromItsLevelOnlyInTheAuction) {
  const Policy* const level = FindPolicy("club");
  const Policy* const classic = FindOpponent("club/classic");
  ASSERT_NE(classic, nullptr);
  int played = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      const Request request{.node_budget = 500};
      const Decision decision = classic->Choose(view, Rng(seed), request);
      if (view.phase == rules::Phase::kBidding) {
        EXPECT_EQ(decision.action, rules::Action::Bid(ClassicBid(view)));
      } else {
        EXPECT_EQ(decision.action, level->Choose(view, Rng(seed), request).action);
        ++played;
      }
      ASSERT_TRUE(Apply(deal, deal.turn, decision.action).ok());
    }
  }
  EXPECT_GT(played, 0);
}

TEST(ClassicBidTest, FindOpponentKnowsLevelsAndClassicBidders) {
  EXPECT_EQ(FindOpponent("novice"), FindPolicy("novice"));
  EXPECT_EQ(FindOpponent("club/classic"), FindOpponent("club/classic"));
  EXPECT_EQ(FindOpponent("champion/classic"), nullptr);
  EXPECT_EQ(FindOpponent("/classic"), nullptr);
  // FindPolicy knows only the levels.
  EXPECT_EQ(FindPolicy("club/classic"), nullptr);
}

}  // namespace
}  // namespace tarot::ai
