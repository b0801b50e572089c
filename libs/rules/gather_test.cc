// The pack between two deals of a table that does not shuffle, and who deals the next one.
#include "libs/rules/gather.h"

#include <gtest/gtest.h>

#include <set>

#include "libs/rules/match.h"
#include "libs/rules/test_deals.h"

namespace tarot::rules {
namespace {

// Whatever was dealt, the pack is whole again.
TEST(GatheredPackTest, HoldsEveryCardOnceUnderEveryRuleSet) {
  Rng rng(11);
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      Match match = StartMatch(named.rules, n, 3);
      PackOrder pack = RandomPack(rng);
      while (!match.Finished()) {
        ASSERT_TRUE(StartNextDeal(match, pack));
        while (match.DealRunning()) {
          const Action action = RandomAction(match.deal, rng);
          ASSERT_TRUE(Apply(match, match.deal.turn, action).ok()) << named.name << " " << n;
        }
        pack = GatheredPack(match.deal);
        const std::set<Card> cards(pack.begin(), pack.end());
        ASSERT_EQ(cards.size(), 78u) << named.name << " " << n;
      }
    }
  }
}

TEST(GatheredPackTest, LiesInTheOrderThatItsContractSays) {
  Rng rng(12);
  std::set<Contract> seen;
  while (seen.size() < 4) {
    Deal deal = RandomDeal(FindRuleSet("booklet_customs")->rules, 4, rng);
    while (deal.phase != Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
    if (deal.result.outcome != Outcome::kScored) continue;
    seen.insert(deal.contract);
    const PackOrder pack = GatheredPack(deal);
    std::size_t attack = 0;
    std::vector<Card> first_of_defence;
    for (int i = 0; i < deal.trick_count; ++i) {
      const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
      if (trick.winner == deal.taker) ++attack;
      if (trick.winner != deal.taker && first_of_defence.empty()) {
        first_of_defence.assign(trick.cards.begin(), trick.cards.begin() + 4);
      }
    }
    const bool contre = deal.contract == Contract::kGardeContre;
    const std::size_t dog_at = contre ? 4 * attack : 0;
    CardSet beside;
    for (std::size_t i = 0; i < 6; ++i) beside.Insert(pack[dog_at + i]);
    EXPECT_EQ(beside, deal.discard.Empty() ? deal.dog : deal.discard);
    for (std::size_t i = 0; i < first_of_defence.size(); ++i) {
      EXPECT_EQ(pack[6 + 4 * attack + i], first_of_defence[i]);
    }
  }
}

TEST(GatheredPackTest, APassedDealGivesTheHandsBack) {
  Rng rng(13);
  Deal deal = RandomDeal(FindRuleSet("booklet_customs")->rules, 3, rng);
  for (int i = 0; i < 3; ++i) Apply(deal, deal.turn, Action::Bid(Contract::kPass));
  ASSERT_EQ(deal.result.outcome, Outcome::kAllPassed);
  const PackOrder pack = GatheredPack(deal);
  const auto dealt = [&](Seat seat) { return deal.dealt[static_cast<std::size_t>(seat % 3)]; };
  EXPECT_EQ(pack.front(), dealt(deal.dealer + 1).First()) << "the seat after the dealer";
  EXPECT_EQ(pack[71], dealt(deal.dealer).Last());
  EXPECT_EQ(pack[72], deal.dog.First());
}

TEST(DealerTest, MovesOnAfterEveryDeal) {
  Rng rng(14);
  Match match = StartMatch(RuleSet{}, 4, 16);
  EXPECT_EQ(match.next_dealer, 3);
  match.next_dealer = 1;  // As the draw had it.
  Seat expected = 1;
  while (!match.Finished()) {
    ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
    EXPECT_EQ(match.deal.dealer, expected);
    while (match.DealRunning()) {
      Apply(match, match.deal.turn, RandomAction(match.deal, rng));
    }
    expected = (expected + 1) % 4;
  }
}

}  // namespace
}  // namespace tarot::rules
