// The order of the pack to hands and dog; codec and texts of cards.
#include "libs/rules/deck.h"

#include <gtest/gtest.h>

#include "libs/rules/codec.h"
#include "libs/rules/test_deals.h"

namespace tarot::rules {
namespace {

TEST(DealOutTest, PacketsGoRoundAndTheDogIsNeverFirstNorLast) {
  PackOrder order;
  for (int i = 0; i < kCardCount; ++i) order[static_cast<std::size_t>(i)] = CardAt(i);
  const RuleSet fft = FindRuleSet("fft")->rules;
  const DealtCards four = DealOut(fft, 4, 1, order);
  EXPECT_TRUE(four.hands[2].ContainsAll({CardAt(0), CardAt(1), CardAt(2)})) << "after the dealer";
  EXPECT_TRUE(four.dog.Contains(CardAt(3)));
  EXPECT_TRUE(four.hands[3].ContainsAll({CardAt(4), CardAt(5), CardAt(6)}));
  for (int n = 3; n <= 5; ++n) {
    const DealtCards cards = DealOut(fft, n, 0, order);
    CardSet seen = cards.dog;
    for (int s = 0; s < n; ++s) {
      const CardSet hand = cards.hands[static_cast<std::size_t>(s)];
      EXPECT_EQ(hand.Size(), fft.HandSize(n));
      EXPECT_TRUE((seen & hand).Empty());
      seen |= hand;
    }
    EXPECT_EQ(seen, CardSet::All());
    EXPECT_EQ(cards.dog.Size(), fft.DogSize(n));
    EXPECT_FALSE(cards.dog.Contains(order.front()) || cards.dog.Contains(order.back()));
  }
}

TEST(DealOutTest, TheBookletsDogIsTheLastCards) {
  Rng rng(3);
  const PackOrder order = RandomPack(rng);
  const DealtCards cards = DealOut(FindRuleSet("booklet")->rules, 4, 0, order);
  for (std::size_t i = 72; i < 78; ++i) EXPECT_TRUE(cards.dog.Contains(order[i]));
}

TEST(CardTextTest, EveryCardRoundTripsAndNothingElseParses) {
  for (int i = 0; i < kCardCount; ++i) EXPECT_EQ(ParseCard(CardText(CardAt(i))), CardAt(i));
  for (const char* bad :
       {"", "S", "S0", "S15", "T22", "T0", "X", "EXX", "Z3", "S01", "s3", "T-1"}) {
    EXPECT_FALSE(ParseCard(bad).has_value()) << bad;
  }
}

TEST(CodecTest, RefusesWhatItDidNotMake) {
  const std::string good = EncodeAction(Action::Play(kExcuse));
  EXPECT_TRUE(DecodeAction(good).has_value());
  EXPECT_FALSE(DecodeAction("").has_value());
  EXPECT_FALSE(DecodeAction(good + "x").has_value());
  const std::string no_such_card("\x01\x02\x07\x00\x00\x00\x00\x00\x00\x00\x00\x40", 12);
  EXPECT_FALSE(DecodeAction(no_such_card).has_value()) << "the Excuse is the last";
  for (int kind = 0; kind < 256; ++kind) {
    for (int value = 0; value < 256; ++value) {
      const std::string bytes{1, static_cast<char>(kind), static_cast<char>(value)};
      if (const auto action = DecodeAction(bytes)) {
        EXPECT_EQ(EncodeAction(*action), bytes);
      }
    }
  }
}

TEST(CodecTest, StoredBytesStayReadable) {  // Written by version 1; never change these.
  EXPECT_EQ(EncodeAction(Action::Play(kPetit)), std::string("\x01\x05\x38", 3));
  EXPECT_EQ(EncodeAction(Action::Bid(Contract::kGarde)), std::string("\x01\x00\x02", 3));
  EXPECT_EQ(DecodeAction(std::string("\x01\x03\x01", 3)), Action::Slam(true));
  EXPECT_EQ(DecodeAction(std::string("\x01\x02\x07\x00\x00\x00\x00\x00\x00\x0e\x00\x00", 12)),
            Action::Discard(Set({"S1", "S2", "S3", "T2", "T3", "T4"})));
}

}  // namespace
}  // namespace tarot::rules
