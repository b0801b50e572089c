#include "libs/ai/fast_deal.h"

#include <gtest/gtest.h>

#include "libs/ai/arena.h"
#include "libs/rules/cards.h"

namespace tarot::ai {
namespace {

using rules::Contract;
using rules::Phase;

// Returns a random legal action. In the auction, returns the bid `wanted` if it is legal. If not,
// returns a pass if a pass is legal.
rules::Action Anything(const rules::View& view, Contract wanted, Rng& rng) {
  const rules::LegalActions& legal = view.legal;
  const auto pick = [&](rules::CardSet cards) {
    for (int skip = rng.Below(cards.Size()); skip > 0; --skip) cards.Erase(cards.First());
    return cards.First();
  };
  switch (view.phase) {
    case Phase::kBidding: {
      if (legal.bids[static_cast<std::size_t>(wanted)]) return rules::Action::Bid(wanted);
      return rules::Action::Bid(legal.bids[0] ? Contract::kPass : Contract::kGarde);
    }
    case Phase::kCalling:
      return rules::Action::Call(pick(legal.calls));
    case Phase::kDiscarding: {
      rules::CardSet cards;
      const rules::CardSet trumps = rules::CardSet::AllTrumps();
      while (cards.Size() < legal.discard_trump_count) cards.Insert(pick(legal.discards & trumps));
      const bool free = view.rules.trump_discard == rules::TrumpDiscard::kFree;
      const rules::CardSet rest = free ? legal.discards : legal.discards - trumps;
      while (cards.Size() < legal.discard_count) cards.Insert(pick(rest));
      return rules::Action::Discard(cards);
    }
    case Phase::kSlam:
      return rules::Action::Slam(rng.Below(8) == 0);
    default:
      return rules::Action::Play(pick(legal.cards));
  }
}

// Returns a deal in which one seat has most of the high trumps and Kings. This seat often also has
// the Excuse. So some of these deals end in a slam, with or without the Excuse.
rules::Deal LopsidedDeal(const rules::RuleSet& rules, int players, Rng& rng) {
  rules::Deal deal = RandomDeal(rules, players, rng);
  const int strong = rng.Below(players);
  rules::CardSet wanted = rules::CardSet::TrumpsAbove(4) | rules::CardSet::Kings();
  if (rng.Below(2) == 0) wanted.Insert(rules::kExcuse);
  auto hands = deal.dealt;
  rules::CardSet& target = hands[static_cast<std::size_t>(strong)];
  for (rules::Seat seat = 0; seat < players; ++seat) {
    rules::CardSet& hand = hands[static_cast<std::size_t>(seat)];
    if (seat == strong) continue;
    for (const rules::Card c : hand& wanted) {
      const rules::CardSet give = target - wanted;
      if (give.Empty() || c == rules::kPetit) continue;
      target.Insert(c);
      target.Erase(give.First());
      hand.Erase(c);
      hand.Insert(give.First());
    }
  }
  return StartDeal(rules, players, deal.dealer, hands, deal.dog, deal.taker);
}

// Counts rare events. At the end, the test checks that each of these events has occurred.
struct Seen {
  int slams = 0;
  int petits = 0;
  int partners = 0;
};

// Plays `deal` at random, and plays the same cards in a FastDeal. Compares the two after each card.
void ExpectSamePlay(rules::Deal deal, Contract wanted, Rng& rng, Seen& seen) {
  while (deal.phase != Phase::kPlaying && deal.phase != Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    ASSERT_TRUE(Apply(deal, deal.turn, Anything(view, wanted, rng)).ok());
  }
  if (deal.phase == Phase::kDone) return;
  const rules::View start = RememberedView(deal, deal.taker);
  World world{.hands = deal.hands};
  if (deal.discard.Empty()) world.aside = deal.dog;
  FastDeal fast = MakeFastDeal(start, world);
  while (deal.phase == Phase::kPlaying) {
    const rules::View view = RememberedView(deal, deal.turn);
    ASSERT_EQ(fast.turn, deal.turn);
    ASSERT_EQ(fast.Legal(), view.legal.cards);
    const rules::Action action = Anything(view, wanted, rng);
    fast.Play(action.card);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
    if (deal.cards_played == 30) {
      // A FastDeal that starts in the middle of the play must end with the same counts as a
      // FastDeal that starts at the first card.
      const World now{.hands = deal.hands, .aside = world.aside};
      fast = MakeFastDeal(RememberedView(deal, deal.taker), now);
    }
  }
  ASSERT_TRUE(fast.Over());
  const rules::ScoreInput count = Count(start, world, fast);
  EXPECT_EQ(count.attack_half_points, deal.result.attack_half_points);
  EXPECT_EQ(count.bouts, deal.result.bouts);
  EXPECT_EQ(count.honours, deal.result.honours);
  EXPECT_EQ(count.petit_au_bout, deal.result.petit_au_bout);
  EXPECT_EQ(count.slam, deal.result.slam);
  seen.slams += count.slam != rules::SlamOutcome::kNone ? 1 : 0;
  seen.petits += count.petit_au_bout != 0 ? 1 : 0;
  seen.partners += count.has_partner ? 1 : 0;
  for (rules::Seat seat = 0; seat < deal.players; ++seat) {
    if (seat == deal.sits_out) continue;
    rules::View view = start;
    view.viewer = seat;
    EXPECT_EQ(Points(view, world, fast), deal.result.scores[static_cast<std::size_t>(seat)]);
  }
}

TEST(FastDealTest, PlaysAndCountsLikeTheRules) {
  Seen seen;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    // FastDeal forbids the called suit only to the leader of the first trick. Some rule sets forbid
    // this suit to all seats in the first trick, and FastDeal does not support these rule sets.
    if (named.rules.call_lead == rules::CallLead::kSuitBarredWholeTrick) continue;
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(testing::Message() << std::string(named.name.data(), named.name.size())
                                        << " players=" << players << " seed=" << seed);
        Rng rng(seed);
        const auto wanted = static_cast<Contract>(1 + rng.Below(4));
        ExpectSamePlay(RandomDeal(named.rules, players, rng), wanted, rng, seen);
        ExpectSamePlay(LopsidedDeal(named.rules, players, rng), wanted, rng, seen);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(seen.slams, 20);
  EXPECT_GT(seen.petits, 20);
  EXPECT_GT(seen.partners, 20);
}

// A deal of 18 tricks. Seat 0 is the taker and has no partner. The tests use this deal for events
// that are rare in random deals.
struct CountTest : testing::Test {
  CountTest() {
    view.players = view.playing = 4;
    view.viewer = view.taker = 0;
    view.contract = Contract::kGarde;
    deal.taker = 0;
    deal.attack = 1;
    deal.tricks_played = 18;
    deal.gathered[0].tricks = 17;
    deal.gathered[1].tricks = 1;
  }
  rules::ScoreInput Counted() const { return Count(view, World(), deal); }

  rules::View view;
  FastDeal deal;
};

TEST_F(CountTest, PetitThatLosesTheLastTrickScoresUnlessItMustWin) {
  deal.petit_trick = 17;
  deal.petit_owner = 1;
  deal.petit_winner = 0;
  view.rules.petit_au_bout_condition = rules::PetitAuBoutCondition::kPetitInLastTrick;
  EXPECT_EQ(Counted().petit_au_bout, 1);
  for (const auto condition : {rules::PetitAuBoutCondition::kWinsLastTrick,
                               rules::PetitAuBoutCondition::kCampWinsLastTrick}) {
    view.rules.petit_au_bout_condition = condition;
    EXPECT_EQ(Counted().petit_au_bout, 0);
  }
}

TEST_F(CountTest, PetitBeforeAnExcuseThatEndsASlamScoresIfTheRulesSaySo) {
  deal.excuse_takes_last = true;
  deal.petit_trick = 16;
  deal.petit_owner = deal.petit_winner = 0;
  view.rules.petit_au_bout_slam_previous_trick = true;
  EXPECT_EQ(Counted().petit_au_bout, 1);
  view.rules.petit_au_bout_slam_previous_trick = false;
  EXPECT_EQ(Counted().petit_au_bout, 0);
}

TEST_F(CountTest, SlamMayLoseAsManyTricksAsTheRulesAllow) {
  view.rules.slam_lost_tricks_max = 1;
  EXPECT_EQ(Counted().slam, rules::SlamOutcome::kUnannouncedMade);
  view.rules.slam_lost_tricks_max = 0;
  EXPECT_EQ(Counted().slam, rules::SlamOutcome::kNone);
}

}  // namespace
}  // namespace tarot::ai
