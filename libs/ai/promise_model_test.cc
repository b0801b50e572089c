#include "libs/ai/promise_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libs/ai/arena.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {
namespace {

using rules::Contract;

// Returns the view of the first defender at the first card of a deal of four players, in which the
// dealer's neighbour takes with `contract`.
rules::View FirstDefender(Contract contract) {
  Rng rng(5);
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.phase == rules::Phase::kBidding) {
    Apply(deal, deal.turn, rules::Action::Bid(deal.bid_count == 0 ? contract : Contract::kPass));
  }
  while (deal.phase != rules::Phase::kPlaying || deal.turn == deal.taker) {
    const rules::View view = RememberedView(deal, deal.turn);
    Apply(deal, deal.turn, FindPolicy("novice")->Choose(view, Rng(1), {}).action);
  }
  return RememberedView(deal, deal.turn);
}

TEST(PromiseModelTest, EveryCardHasAPartAndTheLastSixthHasNoCorrection) {
  for (const int cards : {24, 18, 15}) {
    EXPECT_EQ(PromisePart(1, cards), 0);
    for (int card = 2; card <= cards; ++card) {
      EXPECT_GE(PromisePart(card, cards), std::max(1, PromisePart(card - 1, cards)));
    }
    EXPECT_LT(PromisePart(cards * 5 / 6 - 1, cards), kPromiseParts);
    EXPECT_EQ(PromisePart(cards, cards), kPromiseParts);
  }
}

TEST(PromiseModelTest, ABetterCardKeepsABetterValue) {
  for (const PromiseLines& lines : kPromiseLines) {
    for (const auto& role : lines) {
      for (const PromiseLine& line : role) {
        EXPECT_GT(line.slope, 0);
        EXPECT_LT(line.slope, 1500);
      }
    }
  }
}

TEST(PromiseModelTest, ADefenderExpectsLessThanTheSearchFinds) {
  const rules::View view = FirstDefender(Contract::kGarde);
  ASSERT_NE(view.viewer, view.taker);
  EXPECT_LT(HonestValue(view, 5'000), 5'000);
}

TEST(PromiseModelTest, TheOffsetGrowsWithTheContract) {
  const rules::View garde = FirstDefender(Contract::kGarde);
  const rules::View contre = FirstDefender(Contract::kGardeContre);
  EXPECT_EQ(HonestValue(contre, 0) * garde.rules.Multiplier(Contract::kGarde),
            HonestValue(garde, 0) * contre.rules.Multiplier(Contract::kGardeContre));
}

TEST(PromiseModelTest, WithoutATakerTheValueStays) {
  rules::View view = FirstDefender(Contract::kGarde);
  view.taker = rules::kNoSeat;
  EXPECT_EQ(HonestValue(view, 1'234), 1'234);
}

// Decides with and without the correction at each turn of some deals.
TEST(PromiseModelTest, TheCorrectionChangesValuesAndNoAction) {
  SearchBudget plain = kExpert;
  plain.honest_values = false;
  const SearchPolicy with(kExpert);
  const SearchPolicy without(plain);
  const Request kSmall{.node_budget = 2'000};
  int changed = 0;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    Rng rng(11);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    bool taken = false;
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      const Decision decision = with.Choose(view, Rng(3), kSmall);
      const Decision raw = without.Choose(view, Rng(3), kSmall);
      rules::Action action = decision.action;
      EXPECT_EQ(action, raw.action);
      if (decision.value() != raw.value()) ++changed;
      if (deal.phase == rules::Phase::kBidding) {
        action = rules::Action::Bid(taken ? Contract::kPass : Contract::kGarde);
        taken = true;
      }
      Apply(deal, deal.turn, action);
    }
  }
  EXPECT_GT(changed, 50);
}

}  // namespace
}  // namespace tarot::ai
