#include "libs/ai/faults.h"

#include <gtest/gtest.h>

#include <vector>

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::Suit;
using rules::Trump;
using rules::View;

Card Heart(int rank) { return rules::SuitCard(Suit::kHearts, rank); }
Card Club(int rank) { return rules::SuitCard(Suit::kClubs, rank); }

// A position of seat 0, whose turn it is. The seats just before it have played `trick`. If `trick`
// is empty, seat 0 leads. Every card that seat 0 does not see may be in every other hand.
struct Position {
  Position(CardSet hand, const std::vector<Card>& trick, rules::Seat taker, int trick_count = 1) {
    view.rules = rules::FindRuleSet("fft")->rules;
    view.phase = rules::Phase::kPlaying;
    view.viewer = view.turn = 0;
    view.taker = taker;
    view.hand = hand;
    view.trick_count = trick_count;
    rules::Trick& now = view.tricks[static_cast<std::size_t>(trick_count - 1)];
    now.leader = trick.empty() ? 0 : 4 - static_cast<int>(trick.size());
    CardSet seen = hand;
    for (const Card card : trick) {
      now.cards[static_cast<std::size_t>(now.size++)] = card;
      seen.Insert(card);
    }
    view.legal.cards = rules::LegalCards(hand, {now.cards.data(), trick.size()});
    knowledge.unseen = CardSet::All() - seen;
    for (rules::Seat seat = 1; seat < 4; ++seat) {
      knowledge.may[static_cast<std::size_t>(seat)] = knowledge.unseen;
      knowledge.count[static_cast<std::size_t>(seat)] = hand.Size();
    }
  }

  std::optional<Fault> Of(Card card) const { return FaultOf(view, knowledge, Action::Play(card)); }
  // Says that no other hand holds `card`.
  void Gone(Card card) {
    knowledge.unseen.Erase(card);
    for (CardSet& may : knowledge.may) may.Erase(card);
  }

  View view;
  Knowledge knowledge;
};

CardSet SmallClubs(int count) {
  CardSet cards;
  for (int rank = 1; rank <= count; ++rank) cards.Insert(Club(rank));
  return cards;
}

TEST(FaultsTest, NamesGoBothWays) {
  for (std::size_t i = 0; i < kFaultCount; ++i) {
    const auto fault = static_cast<Fault>(i);
    EXPECT_EQ(ParseFaultName(FaultName(fault)), fault);
  }
  EXPECT_EQ(ParseFaultName("no_fault"), std::nullopt);
}

TEST(FaultsTest, PetitIsThrownUnderATrumpOfTheOtherCamp) {
  const CardSet hand = SmallClubs(8) | CardSet{rules::kPetit, Trump(4)};
  const Position lost(hand, {Trump(15), Trump(5), Trump(6)}, 1);
  EXPECT_EQ(lost.Of(rules::kPetit), Fault::kPetitThrown);
  EXPECT_EQ(lost.Of(Trump(4)), std::nullopt);
  EXPECT_EQ(Position(hand, {Trump(15)}, 0).Of(rules::kPetit), Fault::kPetitThrown);
  // A partner of the defender wins the trick.
  EXPECT_EQ(Position(hand, {Trump(15)}, 2).Of(rules::kPetit), std::nullopt);
  // A partner who still has to play may win the trick, but not if the 21 wins it.
  EXPECT_EQ(Position(hand, {Trump(15)}, 3).Of(rules::kPetit), std::nullopt);
  EXPECT_EQ(Position(hand, {rules::kTwentyOne}, 3).Of(rules::kPetit), Fault::kPetitThrown);
  // The seat must play the Petit.
  const Position forced(SmallClubs(8) | CardSet{rules::kPetit}, {Trump(15)}, 3);
  EXPECT_EQ(forced.Of(rules::kPetit), std::nullopt);
  // The Petit beats a card of a suit.
  EXPECT_EQ(Position(hand, {Heart(14)}, 3).Of(rules::kPetit), std::nullopt);
}

TEST(FaultsTest, DefenderLeadsThePetitToATakerWhoMayHoldTheTwentyOne) {
  const CardSet hand = SmallClubs(8) | CardSet{rules::kPetit, Trump(4)};
  Position position(hand, {}, 3);
  EXPECT_EQ(position.Of(rules::kPetit), Fault::kPetitLed);
  EXPECT_EQ(Position(hand, {}, 0).Of(rules::kPetit), std::nullopt);
  position.Gone(rules::kTwentyOne);
  EXPECT_EQ(position.Of(rules::kPetit), std::nullopt);
}

TEST(FaultsTest, DefenderWithFewTrumpsLeadsATopTrumpEarly) {
  const CardSet hand = SmallClubs(12) | CardSet{Trump(20), Trump(4)};
  Position position(hand, {}, 3);
  EXPECT_EQ(position.Of(Trump(20)), Fault::kTopTrumpLed);
  position.Gone(rules::kTwentyOne);
  EXPECT_EQ(position.Of(Trump(20)), std::nullopt);
  EXPECT_EQ(Position(SmallClubs(12) | CardSet{rules::kTwentyOne}, {}, 3).Of(rules::kTwentyOne),
            Fault::kTopTrumpLed);
  // The second half of the deal has begun.
  EXPECT_EQ(Position(SmallClubs(7) | CardSet{Trump(20)}, {}, 3).Of(Trump(20)), std::nullopt);
  // This defender has many trumps.
  CardSet strong = SmallClubs(6) | CardSet{Trump(20)};
  for (int rank = 2; rank <= 8; ++rank) strong.Insert(Trump(rank));
  EXPECT_EQ(Position(strong, {}, 3).Of(Trump(20)), std::nullopt);
}

TEST(FaultsTest, HonourIsThrownOnALostTrick) {
  const CardSet hand{Heart(2), Heart(11), Club(2)};
  // Seat 3 is the taker and wins the trick, and seat 0 plays last.
  const Position last(hand, {Heart(3), Heart(4), Heart(14)}, 3);
  EXPECT_EQ(last.Of(Heart(11)), Fault::kHonourThrown);
  EXPECT_EQ(last.Of(Heart(2)), std::nullopt);
  // The trick belongs to a partner of the defender.
  EXPECT_EQ(Position(hand, {Heart(3), Heart(4), Heart(14)}, 1).Of(Heart(11)), std::nullopt);
  // A partner who still has to play may win the trick.
  EXPECT_EQ(Position(hand, {Heart(14)}, 3).Of(Heart(11)), std::nullopt);
  // A taker has no partner who could win the trick.
  EXPECT_EQ(Position(hand, {Heart(14)}, 0).Of(Heart(11)), Fault::kHonourThrown);
  // The 21 wins the trick for sure.
  EXPECT_EQ(Position(CardSet{Club(2), Club(12)}, {rules::kTwentyOne}, 3).Of(Club(12)),
            Fault::kHonourThrown);
  // The seat has no small card.
  EXPECT_EQ(Position(CardSet{Heart(11), Heart(12)}, {Heart(14)}, 0).Of(Heart(11)), std::nullopt);
}

TEST(FaultsTest, TakerLeadsAnHonourUnderAHigherOne) {
  const CardSet hand{Heart(2), Heart(13), Club(2)};
  Position position(hand, {}, 0);
  EXPECT_EQ(position.Of(Heart(13)), Fault::kHonourLed);
  EXPECT_EQ(position.Of(Heart(2)), std::nullopt);
  EXPECT_EQ(Position(hand, {}, 3).Of(Heart(13)), std::nullopt);
  // The taker also holds the next lower honour, so the lead drives the King out.
  EXPECT_EQ(Position(hand | CardSet{Heart(12)}, {}, 0).Of(Heart(13)), std::nullopt);
  position.view.called_card = Heart(14);
  EXPECT_EQ(position.Of(Heart(13)), std::nullopt);
  position.view.called_card = rules::kNoCard;
  position.Gone(Heart(14));
  EXPECT_EQ(position.Of(Heart(13)), std::nullopt);
}

TEST(FaultsTest, TwentyOneIsSpentEarly) {
  const CardSet hand = SmallClubs(12) | CardSet{Trump(9), rules::kTwentyOne};
  EXPECT_EQ(Position(hand, {Heart(4)}, 3, 2).Of(rules::kTwentyOne), Fault::kTwentyOneSpent);
  EXPECT_EQ(Position(hand, {Heart(4)}, 3, 2).Of(Trump(9)), std::nullopt);
  EXPECT_EQ(Position(hand, {Heart(14)}, 3, 2).Of(rules::kTwentyOne), std::nullopt);
  EXPECT_EQ(Position(hand, {rules::kPetit}, 3, 2).Of(rules::kTwentyOne), std::nullopt);
  EXPECT_EQ(Position(hand, {Heart(4)}, 3, 9).Of(rules::kTwentyOne), std::nullopt);
  EXPECT_EQ(Position(hand, {}, 0, 2).Of(rules::kTwentyOne), Fault::kTwentyOneSpent);
}

TEST(FaultsTest, SansWithFewTrumpsIsAFaultOfFivePlayers) {
  Position position(SmallClubs(10) | CardSet{Trump(5), Trump(6), Trump(7)}, {}, rules::kNoSeat);
  const auto bid = [&](Contract contract) {
    return FaultOf(position.view, position.knowledge, Action::Bid(contract));
  };
  position.view.players = position.view.playing = 5;
  position.view.legal.bids = {true, true, true, true, true};
  EXPECT_EQ(bid(Contract::kGardeSans), Fault::kBareSans);
  EXPECT_EQ(bid(Contract::kGarde), std::nullopt);
  position.view.hand |= CardSet{Trump(8), Trump(9)};
  EXPECT_EQ(bid(Contract::kGardeSans), std::nullopt);
  position.view.hand = SmallClubs(14);
  position.view.legal.bids = {true, false, false, true, true};
  EXPECT_EQ(bid(Contract::kGardeSans), std::nullopt);
  position.view.players = position.view.playing = 4;
  position.view.legal.bids = {true, true, true, true, true};
  EXPECT_EQ(bid(Contract::kGardeSans), std::nullopt);
}

TEST(FaultsTest, CallIgnoresTheLongerSuitWithTheQueen) {
  Position position(SmallClubs(3) | CardSet{Club(13), Heart(2)}, {}, 0);
  position.view.players = position.view.playing = 5;
  position.view.legal.calls = CardSet::Kings();
  const auto call = [&](Card card) {
    return FaultOf(position.view, position.knowledge, Action::Call(card));
  };
  EXPECT_EQ(call(Heart(14)), Fault::kShortCall);
  EXPECT_EQ(call(Club(14)), std::nullopt);
  position.view.hand |= CardSet{Heart(13)};
  EXPECT_EQ(call(Heart(14)), std::nullopt);
}

}  // namespace
}  // namespace tarot::ai
