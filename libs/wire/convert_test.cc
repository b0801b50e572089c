#include "libs/wire/convert.h"

#include <gmock/gmock.h>

#include <set>

#include "libs/base/rng.h"
#include "libs/rules/match.h"

namespace tarot::wire {
namespace {

// Returns a random legal action of the seat in turn.
rules::Action RandomAction(const rules::Deal& deal, Rng& rng) {
  const rules::LegalActions legal = ListLegal(deal);
  const auto pick = [&rng](rules::CardSet set) {
    int skip = rng.Below(set.Size());
    for (const rules::Card c : set) {
      if (skip-- == 0) return c;
    }
    return rules::kNoCard;
  };
  switch (deal.phase) {
    case rules::Phase::kBidding:
      return rules::Action::Bid(rng.Below(3) == 0 && legal.bids[2] ? rules::Contract::kGarde
                                                                   : rules::Contract::kPass);
    case rules::Phase::kCalling:
      return rules::Action::Call(pick(legal.calls));
    case rules::Phase::kDiscarding: {
      rules::CardSet plain = legal.discards - rules::CardSet::AllTrumps();
      rules::CardSet out = legal.discard_trump_count > 0 ? plain : rules::CardSet{};
      rules::CardSet rest = legal.discards - out;
      while (out.Size() < legal.discard_count) {
        const rules::Card c = pick(rest);
        rest.Erase(c);
        out.Insert(c);
      }
      return rules::Action::Discard(out);
    }
    case rules::Phase::kSlam:
      return rules::Action::Slam(rng.Below(10) == 0);
    default:
      return rules::Action::Play(pick(legal.cards));
  }
}

rules::Deal RandomDeal(int players, Rng& rng) {
  rules::PackOrder order;
  for (int i = 0; i < rules::kCardCount; ++i) order[static_cast<std::size_t>(i)] = rules::CardAt(i);
  rng.Shuffle(order);
  const rules::RuleSet rules = rules::FindRuleSet("fft")->rules;
  const rules::DealtCards cards = DealOut(rules, players, 0, order);
  return StartDeal(rules, players, 0, cards.hands, cards.dog);
}

// Encodes a view, decodes the message, and encodes the result again. Both messages must have the
// same bytes.
TEST(ViewWireTest, RoundTripsAtEveryStepForEverySeat) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    rules::Deal deal = RandomDeal(players, rng);
    while (deal.phase != rules::Phase::kDone) {
      for (rules::Seat viewer = rules::kNoSeat; viewer < players; ++viewer) {
        v1::DealView first, second;
        EncodeView(MakeView(deal, viewer), "fft", &first);
        const absl::StatusOr<rules::View> decoded = DecodeView(first);
        ASSERT_TRUE(decoded.ok()) << decoded.status();
        EncodeView(*decoded, "fft", &second);
        ASSERT_EQ(first.SerializeAsString(), second.SerializeAsString());
      }
      const rules::Action action = RandomAction(deal, rng);
      v1::Action wire;
      EncodeAction(action, &wire);
      const absl::StatusOr<rules::Action> back = DecodeAction(wire, "action");
      ASSERT_TRUE(back.ok());
      ASSERT_EQ(*back, action);
      ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
    }
  }
}

// For each card that a view lists as refused, the deal must refuse this card for the same reason.
TEST(ViewWireTest, EachRefusedCardHasTheReasonOfItsRefusal) {
  std::set<std::string> reasons;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(3 + static_cast<int>(seed % 3), rng);
    while (deal.phase != rules::Phase::kDone) {
      v1::DealView view;
      EncodeView(MakeView(deal, deal.turn), "fft", &view);
      int refused_count = 0;
      for (const v1::RefusedCards& refused : view.legal().refused()) {
        reasons.insert(refused.why());
        for (const std::uint32_t number : refused.cards()) {
          const rules::Card card = rules::CardAt(static_cast<int>(number));
          rules::Deal copy = deal;
          const rules::Verdict verdict = Apply(copy, deal.turn, rules::Action::Play(card));
          ASSERT_EQ(refused.why(), rules::ReasonName(verdict.reason));
          ASSERT_EQ(refused.number(), static_cast<std::uint32_t>(verdict.number));
          ASSERT_EQ(refused.has_suit(), verdict.suit != rules::Suit::kNone);
          ASSERT_EQ(refused.has_card(), verdict.card != rules::kNoCard);
          ++refused_count;
        }
      }
      const bool playing = deal.phase == rules::Phase::kPlaying;
      ASSERT_EQ(refused_count, playing ? view.hand_size() - view.legal().cards_size() : 0);
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
  }
  EXPECT_THAT(reasons, testing::ElementsAre("CALLED_SUIT_BARRED", "MUST_FOLLOW_SUIT",
                                            "MUST_OVERTRUMP", "MUST_TRUMP"));
}

TEST(ViewWireTest, OnlyAnOpenTrickHasAWinningSeat) {
  Rng rng(5);
  rules::Deal deal = RandomDeal(4, rng);
  int open_tricks = 0;
  while (deal.phase != rules::Phase::kDone) {
    v1::DealView view;
    EncodeView(MakeView(deal, rules::kNoSeat), "fft", &view);
    for (const v1::Trick& trick : view.tricks()) {
      const bool open = !trick.has_winner() && trick.cards_size() > 0;
      ASSERT_EQ(trick.has_winning(), open);
      if (!open) continue;
      ++open_tricks;
      const std::uint32_t steps = (trick.winning() + 4 - trick.leader()) % 4;
      ASSERT_LT(steps, static_cast<std::uint32_t>(trick.cards_size()));
      if (trick.cards_size() == 1) {
        ASSERT_EQ(trick.winning(), trick.leader());
      }
    }
    ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
  }
  EXPECT_GT(open_tricks, 0);
}

// In the rule set fft, the dog, the handfuls and the older tricks are hidden again after some time.
// A hidden trick has a winner, but no cards.
TEST(ViewWireTest, ClosedCardsAreNotOnTheWire) {
  Rng rng(3);
  rules::Deal deal = RandomDeal(4, rng);
  while (deal.trick_count < 4) {
    ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    if (deal.phase == rules::Phase::kDone) deal = RandomDeal(4, rng);
  }
  v1::DealView view;
  EncodeView(MakeView(deal, deal.turn), "fft", &view);
  EXPECT_EQ(view.dog_size() + view.discard_size(), 0);
  ASSERT_EQ(view.tricks_size(), 4);
  EXPECT_EQ(view.tricks(0).cards_size(), 0);
  EXPECT_EQ(view.tricks(0).winner(), static_cast<std::uint32_t>(deal.tricks[0].winner));
  EXPECT_EQ(view.tricks(2).cards_size(), 4);
}

TEST(ResultWireTest, APetitSecHasItsSeatAndHand) {
  rules::View view;
  view.result = {.outcome = rules::Outcome::kPetitSec,
                 .petit_sec_seat = 2,
                 .petit_sec_hand = {rules::kPetit, rules::CardAt(0)}};
  v1::DealResult result;
  EncodeResult(view, &result);
  EXPECT_EQ(result.outcome(), v1::DealResult::PETIT_SEC);
  EXPECT_EQ(result.petit_sec_seat(), 2u);
  EXPECT_EQ(*DecodeCards(result.petit_sec_hand(), "hand"), view.result.petit_sec_hand);
}

TEST(ActionWireTest, RefusesMalformedActions) {
  v1::Action action;
  EXPECT_FALSE(DecodeAction(action, "action").ok());
  action.mutable_play()->set_card(78);
  EXPECT_FALSE(DecodeAction(action, "action").ok());
  action.mutable_bid();
  EXPECT_FALSE(DecodeAction(action, "action").ok());
  action.mutable_discard()->add_cards(3);
  action.mutable_discard()->add_cards(3);
  EXPECT_FALSE(DecodeAction(action, "action").ok()) << "the same card twice";
}

TEST(ViewWireTest, RefusesMalformedViews) {
  Rng rng(1);
  v1::DealView good;
  EncodeView(MakeView(RandomDeal(4, rng), 1), "fft", &good);
  ASSERT_TRUE(DecodeView(good).ok());
  const auto refuses = [&good](auto change) {
    v1::DealView bad = good;
    change(bad);
    return !DecodeView(bad).ok();
  };
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.set_rule_set("bridge"); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.set_player_count(9); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.set_viewer(4); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.add_hand(99); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.add_hand_counts(1); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) { v.set_phase(v1::PHASE_UNSPECIFIED); }));
  EXPECT_TRUE(refuses([](v1::DealView& v) {
    for (int i = 0; i < 25; ++i) v.add_tricks();
  }));
}

}  // namespace
}  // namespace tarot::wire
