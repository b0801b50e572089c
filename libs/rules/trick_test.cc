// Tests the legal cards. Some tests use examples; others compare random hands with the naive rules
// (naive_rules.h).
#include "libs/rules/trick.h"

#include <gtest/gtest.h>

#include <vector>

#include "libs/base/rng.h"
#include "libs/rules/cards.h"
#include "libs/rules/testing/naive_rules.h"

namespace tarot::rules {
namespace {

std::vector<Card> Cards(std::initializer_list<const char*> texts) {
  std::vector<Card> cards;
  for (const char* text : texts) cards.push_back(*ParseCard(text));
  return cards;
}

CardSet Hand(std::initializer_list<const char*> texts) {
  CardSet set;
  for (const Card c : Cards(texts)) set.Insert(c);
  return set;
}

TEST(LegalCardsTest, LeaderPlaysAnything) {
  EXPECT_EQ(LegalCards(Hand({"S1", "T3", "EX"}), {}), Hand({"S1", "T3", "EX"}));
}

TEST(LegalCardsTest, FollowsTheSuitOrPlaysTheExcuse) {
  EXPECT_EQ(LegalCards(Hand({"H3", "C5", "T7", "EX"}), Cards({"H14"})), Hand({"H3", "EX"}));
}

TEST(LegalCardsTest, NeedNotPlayHigherInASuit) {
  EXPECT_EQ(LegalCards(Hand({"H3", "H14"}), Cards({"H10"})), Hand({"H3", "H14"}));
}

TEST(LegalCardsTest, MustTrumpWithoutTheSuit) {
  EXPECT_EQ(LegalCards(Hand({"C5", "T2", "T9"}), Cards({"H14"})), Hand({"T2", "T9"}));
}

TEST(LegalCardsTest, MustOvertrumpEvenAPartner) {
  EXPECT_EQ(LegalCards(Hand({"C5", "T4", "T12"}), Cards({"H14", "T9"})), Hand({"T12"}));
}

TEST(LegalCardsTest, UndertrumpsWhenItCannotOvertrump) {
  EXPECT_EQ(LegalCards(Hand({"C5", "T4", "T2"}), Cards({"H14", "T9"})), Hand({"T4", "T2"}));
}

TEST(LegalCardsTest, OvertrumpsWhenTrumpsAreLed) {
  EXPECT_EQ(LegalCards(Hand({"T4", "T12", "S1"}), Cards({"T9"})), Hand({"T12"}));
  EXPECT_EQ(LegalCards(Hand({"T4", "S1"}), Cards({"T9"})), Hand({"T4"}));
}

TEST(LegalCardsTest, PlaysAnythingWithoutSuitAndTrumps) {
  EXPECT_EQ(LegalCards(Hand({"C5", "D3", "EX"}), Cards({"H14"})), Hand({"C5", "D3", "EX"}));
}

TEST(LegalCardsTest, TheExcuseIsNoTrump) {
  EXPECT_EQ(LegalCards(Hand({"C5", "EX"}), Cards({"T9"})), Hand({"C5", "EX"}));
}

TEST(LegalCardsTest, ExcuseLedLeavesTheSuitToTheNextCard) {
  EXPECT_EQ(LegalCards(Hand({"H3", "C5"}), Cards({"EX"})), Hand({"H3", "C5"}));
  EXPECT_EQ(LegalCards(Hand({"H3", "C5"}), Cards({"EX", "H14"})), Hand({"H3"}));
  EXPECT_EQ(LegalCards(Hand({"T3", "T15", "C5"}), Cards({"EX", "T9"})), Hand({"T15"}));
}

TEST(WhyNotTest, NamesTheRule) {
  const Verdict follow = WhyNot(Hand({"H3", "C5"}), Cards({"H14"}), *ParseCard("C5"));
  EXPECT_EQ(follow.reason, Reason::kMustFollowSuit);
  EXPECT_EQ(follow.suit, Suit::kHearts);
  const Verdict over = WhyNot(Hand({"T4", "T12"}), Cards({"H14", "T9"}), Trump(4));
  EXPECT_EQ(over.reason, Reason::kMustOvertrump);
  EXPECT_EQ(over.number, 9);
  EXPECT_EQ(WhyNot(Hand({"T4", "C5"}), Cards({"H14"}), *ParseCard("C5")).reason,
            Reason::kMustTrump);
  EXPECT_EQ(WhyNot(Hand({"C5"}), {}, kPetit).reason, Reason::kCardNotHeld);
}

TEST(LegalCardsTest, EqualsTheNaiveRulesOnRandomHandsAndTricks) {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    std::vector<Card> pack;
    for (int i = 0; i < kCardCount; ++i) pack.push_back(CardAt(i));
    rng.Shuffle(pack);
    const std::size_t table = static_cast<std::size_t>(rng.Below(5));
    const std::size_t held = 1 + static_cast<std::size_t>(rng.Below(24));
    const std::vector<Card> trick(pack.begin(), pack.begin() + static_cast<long>(table));
    const std::vector<Card> hand(pack.begin() + static_cast<long>(table),
                                 pack.begin() + static_cast<long>(table + held));
    CardSet set;
    for (const Card c : hand) set.Insert(c);
    const CardSet legal = LegalCards(set, trick);
    ASSERT_FALSE(legal.Empty());
    ASSERT_TRUE(set.ContainsAll(legal));
    for (const Card c : hand) {
      ASSERT_EQ(legal.Contains(c), naive::MayFollow(hand, trick, c)) << CardText(c);
      ASSERT_EQ(legal.Contains(c), WhyNot(set, trick, c).ok()) << CardText(c);
    }
  }
}

}  // namespace
}  // namespace tarot::rules
