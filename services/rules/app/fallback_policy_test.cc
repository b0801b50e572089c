#include "services/rules/app/fallback_policy.h"

#include <gtest/gtest.h>

#include "libs/rules/testing/random_deals.h"

namespace tarot::rules_service {
namespace {

// Random actions lead to every phase; the fallback must be legal in each.
TEST(FallbackPolicyTest, ReturnsALegalActionInEveryRuleSet) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      Rng rng(static_cast<std::uint64_t>(players));
      for (int i = 0; i < 20; ++i) {
        rules::Deal deal = rules::RandomDeal(named.rules, players, rng);
        while (deal.phase != rules::Phase::kDone) {
          const rules::Action action = FallbackAction(rules::MakeView(deal, deal.turn));
          ASSERT_TRUE(rules::Check(deal, deal.turn, action).ok()) << named.name;
          const bool random = deal.phase != rules::Phase::kPlaying || rng.Below(2) == 0;
          ASSERT_TRUE(
              rules::Apply(deal, deal.turn, random ? rules::RandomAction(deal, rng) : action).ok());
        }
      }
    }
  }
}

TEST(FallbackPolicyTest, PassesEveryBid) {
  Rng rng(1);
  rules::Deal deal = rules::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.phase == rules::Phase::kBidding) {
    const rules::Action action = FallbackAction(rules::MakeView(deal, deal.turn));
    EXPECT_EQ(action, rules::Action::Bid(rules::Contract::kPass));
    ASSERT_TRUE(rules::Apply(deal, deal.turn, action).ok());
  }
  EXPECT_EQ(deal.phase, rules::Phase::kDone);
}

}  // namespace
}  // namespace tarot::rules_service
