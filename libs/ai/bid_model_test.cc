#include "libs/ai/bid_model.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;
using rules::Suit;

const rules::RuleSet& Fft() { return rules::FindRuleSet("fft")->rules; }

// Adds low cards of all suits to `hand` until it has `size` cards.
CardSet FilledUp(CardSet hand, int size) {
  for (int rank = 1; hand.Size() < size; ++rank) {
    for (int suit = 0; suit < 4 && hand.Size() < size; ++suit) {
      hand.Insert(SuitCard(static_cast<Suit>(suit), rank));
    }
  }
  return hand;
}

CardSet Trumps(int low, int high) {
  CardSet cards;
  for (int rank = low; rank <= high; ++rank) cards.Insert(rules::Trump(rank));
  return cards;
}

// Returns the view of the seat that bids next after `bids`.
rules::View After(const std::vector<Contract>& bids, const rules::RuleSet& rules, int players) {
  rules::View view;
  view.rules = rules;
  view.players = view.playing = players;
  for (const Contract bid : bids) view.bids[static_cast<std::size_t>(view.bid_count++)] = bid;
  view.turn = view.viewer = view.After(view.dealer, 1 + view.bid_count);
  return view;
}

TEST(BidModelTest, ComputesFeatures) {
  const CardSet hand = Trumps(15, 21) | CardSet{rules::kPetit, rules::kExcuse} |
                       CardSet{SuitCard(Suit::kSpades, 14),  SuitCard(Suit::kSpades, 13),
                               SuitCard(Suit::kSpades, 2),   SuitCard(Suit::kSpades, 3),
                               SuitCard(Suit::kSpades, 4),   SuitCard(Suit::kHearts, 13),
                               SuitCard(Suit::kHearts, 2),   SuitCard(Suit::kDiamonds, 12),
                               SuitCard(Suit::kDiamonds, 11)};
  ASSERT_EQ(hand.Size(), 18);
  const Features features = FeaturesOf(hand, 3, 4);
  const auto of = [&](Feature feature) { return features[static_cast<std::size_t>(feature)]; };
  EXPECT_EQ(of(Feature::kTrumps), 8);
  EXPECT_EQ(of(Feature::kTrumpsOver7), 1);
  EXPECT_EQ(of(Feature::kThreeBouts), 1);
  EXPECT_EQ(of(Feature::kTwoBouts), 0);
  EXPECT_EQ(of(Feature::kBoutTrumps), 24);
  EXPECT_EQ(of(Feature::kMasterTrumps), 7);
  EXPECT_EQ(of(Feature::kTrumps14To16), 2);
  EXPECT_EQ(of(Feature::kKings), 1);
  EXPECT_EQ(of(Feature::kQueensWithKing), 1);
  EXPECT_EQ(of(Feature::kQueensBare), 1);
  EXPECT_EQ(of(Feature::kKnights), 1);
  EXPECT_EQ(of(Feature::kJacks), 1);
  EXPECT_EQ(of(Feature::kKingSuitLength), 4);
  EXPECT_EQ(of(Feature::kVoids), 1);
  EXPECT_EQ(of(Feature::kDoubletons), 2);
  EXPECT_EQ(of(Feature::kLengthOver4), 1);
  EXPECT_EQ(of(Feature::kLastToPlay), 1);
  EXPECT_EQ(of(Feature::kFirstToLead), 0);
}

TEST(BidModelTest, ValuesBetterCardsHigher) {
  for (int players = 3; players <= 5; ++players) {
    const int size = Fft().HandSize(players);
    const auto margin = [&](CardSet hand, bool untouched) {
      return MarginOfHand(FeaturesOf(FilledUp(hand, size), 1, players), players, untouched);
    };
    const CardSet middling = Trumps(8, 12);
    for (const bool untouched : {false, true}) {
      SCOPED_TRACE(testing::Message() << players << " players, untouched " << untouched);
      const CardSet bouts{rules::kTwentyOne, rules::kExcuse};
      EXPECT_GT(margin(middling | bouts, untouched), margin(middling, untouched) + 1000);
      EXPECT_GT(margin(Trumps(14, 21), untouched), margin(Trumps(2, 9), untouched) + 1000);
    }
    EXPECT_LT(margin(middling, false), 0);
    EXPECT_GT(margin(Trumps(12, 21) | CardSet{rules::kExcuse, rules::kPetit}, false), 2000);
  }
}

TEST(BidModelTest, TrustsMorePlayOutsMore) {
  const rules::View view = After({}, Fft(), 4);
  const Features features = FeaturesOf(FilledUp(Trumps(10, 15), 18), 0, 4);
  const auto corrected = [&](int mean, int count) {
    return ExpectedMargin(view, features, false, mean, count);
  };
  const int gloomy = -4000;
  const int bright = 4000;
  const int few = corrected(bright, 2) - corrected(gloomy, 2);
  const int many = corrected(bright, 400) - corrected(gloomy, 400);
  EXPECT_GT(few, 0);
  EXPECT_LT(few, many);
  EXPECT_LT(many, bright - gloomy);
}

TEST(BidModelTest, LastPassWithoutTakerScoresNothing) {
  for (int players = 3; players <= 5; ++players) {
    const std::vector<Contract> passes(static_cast<std::size_t>(players - 1), Contract::kPass);
    for (const int margin : {-5000, 0, 5000}) {
      EXPECT_EQ(PassPoints(After(passes, Fft(), players), margin), 0);
    }
  }
}

TEST(BidModelTest, ScalesPassesByTheRuleSet) {
  const std::vector<Contract> garde{Contract::kPass, Contract::kPass, Contract::kGarde};
  const int points = PassPoints(After(garde, Fft(), 4), -3000);
  EXPECT_LT(points, -1000);  // The hand is so weak that the viewer expects to pay for the Garde.
  rules::RuleSet doubled = Fft();
  for (auto& multiplier : doubled.multiplier)
    multiplier = static_cast<std::uint8_t>(2 * multiplier);
  EXPECT_EQ(PassPoints(After(garde, doubled, 4), -3000), 2 * points);
  const std::vector<Contract> sans{Contract::kPass, Contract::kPass, Contract::kGardeSans};
  EXPECT_EQ(PassPoints(After(sans, Fft(), 4), -3000), 2 * points);
  const rules::RuleSet& practice = rules::FindRuleSet("booklet_practice3")->rules;
  // In practice game 3 only the taker scores.
  EXPECT_EQ(PassPoints(After(garde, practice, 4), -3000), 0);
}

}  // namespace
}  // namespace tarot::ai
