#include "libs/ai/heuristic.h"

#include <gtest/gtest.h>

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Suit;
using rules::Trump;

// Returns a deal in which seat 3, a defender, has led the Petit. Seat 0, the taker, plays next. One
// of the other seats holds the 20.
FastDeal AfterThePetit(CardSet taker) {
  FastDeal deal;
  deal.taker = 0;
  deal.attack = 1;
  deal.turn = 3;
  deal.hands = {taker, CardSet{Trump(20), Trump(2)}, CardSet{Trump(5), Trump(6)},
                CardSet{rules::kPetit, Trump(7)}};
  for (const CardSet& hand : deal.hands) deal.held |= hand;
  deal.waiting = deal.AllSeats();
  deal.Play(rules::kPetit);
  return deal;
}

TEST(HeuristicTest, CatchesThePetitWithAHighTrump) {
  EXPECT_EQ(HeuristicCard(AfterThePetit({Trump(4), Trump(17)})), Trump(17));
  // No card can beat the 21, so it catches the Petit for sure.
  EXPECT_EQ(HeuristicCard(AfterThePetit({Trump(4), rules::kTwentyOne})), rules::kTwentyOne);
}

TEST(HeuristicTest, SavesHighTrumpsOnThePetitOfAPartner) {
  FastDeal deal = AfterThePetit({Trump(3)});
  deal.Play(Trump(3));
  EXPECT_EQ(HeuristicCard(deal), Trump(20));
}

}  // namespace
}  // namespace tarot::ai
