// Tests that a seat may look at exactly the cards that its view shows.
#include "tools/load/check/known_cards.h"

#include <gtest/gtest.h>

#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/view.h"

namespace tarot::check {
namespace {

rules::CardSet Shown(const rules::View& view) {
  rules::CardSet cards = view.hand | view.dog | view.discard | view.discard_shown;
  cards |= view.result.petit_sec_hand;
  for (int i = 0; i < view.handful_count; ++i) {
    cards |= view.handfuls[static_cast<std::size_t>(i)].cards;
  }
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) cards.Insert(trick.cards[static_cast<std::size_t>(at)]);
  }
  return cards;
}

// KnownCards and MakeView() share no code, and both say which cards a seat may look at.
TEST(KnownCardsTest, KnowsTheCardsOfTheViewAndNoOther) {
  const auto& sets = rules::RuleSets();
  int unscored = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const rules::RuleSet rules =
        seed % 2 == 0 ? sets[seed / 2 % sets.size()].rules : rules::RandomRuleSet(rng);
    const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
    rules::Deal deal = rules::RandomDeal(rules, players, rng);
    KnownCards known;
    known.Deal(deal);
    const auto compare = [&] {
      if (deal.result.outcome == rules::Outcome::kScored) return;
      for (rules::Seat seat = rules::kNoSeat; seat < players; ++seat) {
        ASSERT_EQ(known.Of(seat), Shown(rules::MakeView(deal, seat)))
            << rules::RuleSetText(rules) << " " << seed;
      }
    };
    ASSERT_NO_FATAL_FAILURE(compare());
    const int voided_after = rng.Below(200);
    for (int steps = 0; deal.phase != rules::Phase::kDone; ++steps) {
      if (steps == voided_after) {
        rules::VoidDeal(deal);
        known.Void(deal);
      } else {
        const rules::Action action = rules::RandomAction(deal, rng);
        ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
        known.Act(deal, action);
      }
      ASSERT_NO_FATAL_FAILURE(compare());
    }
    unscored += deal.result.outcome == rules::Outcome::kScored ? 0 : 1;
  }
  EXPECT_GT(unscored, 100);
}

}  // namespace
}  // namespace tarot::check
