// The pack between two deals of a table that does not shuffle, and who deals the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "libs/rules/deck.h"
#include "libs/rules/match.h"
#include "libs/rules/testing/random_deals.h"

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

// A pack that gives the seat after the dealer the Petit and cards of suits only.
PackOrder PetitSecPack(const RuleSet& rules, Seat dealer) {
  // Dealt in order, a hand's cards are the places that it gets.
  const PackOrder ordered = OrderedPack();
  const CardSet places =
      DealOut(rules, 4, dealer, ordered).hands[static_cast<std::size_t>((dealer + 1) % 4)];
  std::vector<Card> rest(ordered.begin() + places.Size() - 1, ordered.end());
  rest.erase(std::find(rest.begin(), rest.end(), kPetit));
  PackOrder pack;
  std::size_t own = 0, other = 0;
  for (int i = 0; i < kCardCount; ++i) {
    Card& card = pack[static_cast<std::size_t>(i)];
    card = !places.Contains(CardAt(i)) ? rest[other++] : own == 0 ? kPetit : ordered[own - 1];
    own += places.Contains(CardAt(i)) ? 1 : 0;
  }
  return pack;
}

TEST(DealerTest, MovesOnAfterEveryDeal) {
  Rng rng(14);
  for (const char* name : {"fft", "fft_duplicate"}) {
    Match match = StartMatch(FindRuleSet(name)->rules, 4, 16);
    const bool board = match.rules.dealer_by == DealerBy::kBoard;
    EXPECT_EQ(match.next_dealer, 3);
    match.next_dealer = 1;  // As the draw had it.
    Seat expected = 1;
    std::set<std::pair<Seat, Seat>> places;
    while (!match.Finished()) {
      const bool cancelled = match.deals_dealt == 2;
      ASSERT_TRUE(
          StartNextDeal(match, cancelled ? PetitSecPack(match.rules, expected) : RandomPack(rng)));
      EXPECT_TRUE(!cancelled || match.deal.result.outcome == Outcome::kPetitSec);
      EXPECT_EQ(match.deal.dealer, expected);
      const Seat given = board ? BoardTaker(4, match.deals_scored + 1) : kNoSeat;
      if (match.DealRunning()) {
        EXPECT_EQ(match.deal.taker, given);
      }
      while (match.DealRunning()) {
        Apply(match, match.deal.turn, RandomAction(match.deal, rng));
      }
      const bool scored = match.deal.result.outcome == Outcome::kScored;
      if (scored) places.emplace(match.deal.dealer, match.deal.taker);
      if (scored || !board) expected = (expected + 1) % 4;
    }
    EXPECT_TRUE(!board || places.size() == 16u) << "each dealer with each taker";
  }
}

TEST(DealerTest, TheLastSeatDealtFirstInOldMatches) {
  EXPECT_EQ(DealerOf(4, 1), 3);
  EXPECT_EQ(DealerOf(4, 2), 0);
  EXPECT_EQ(DealerOf(5, 1), 4);
}

}  // namespace
}  // namespace tarot::rules
