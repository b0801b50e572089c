#include <gtest/gtest.h>

#include "libs/ai/thumb.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Suit;
using rules::Trump;

// Seat 3, a defender, has led the Petit; seat 0, the taker, is next, and others hold the 20.
Table AfterThePetit(CardSet taker) {
  Table table;
  table.taker = 0;
  table.attack = 1;
  table.turn = 3;
  table.hands = {taker, CardSet{Trump(20), Trump(2)}, CardSet{Trump(5), Trump(6)},
                 CardSet{rules::kPetit, Trump(7)}};
  for (const CardSet& hand : table.hands) table.held |= hand;
  table.waiting = table.Everybody();
  table.Play(rules::kPetit);
  return table;
}

TEST(ThumbCardTest, ThePetitOfTheOtherCampIsWorthAHighTrump) {
  EXPECT_EQ(ThumbCard(AfterThePetit({Trump(4), Trump(17)})), Trump(17));
  // Whoever is safe needs no more.
  EXPECT_EQ(ThumbCard(AfterThePetit({Trump(4), rules::kTwentyOne})), rules::kTwentyOne);
}

TEST(ThumbCardTest, ThePetitOfAPartnerIsNot) {
  Table table = AfterThePetit({Trump(3)});
  table.Play(Trump(3));
  EXPECT_EQ(ThumbCard(table), Trump(20));
}

}  // namespace
}  // namespace tarot::ai
