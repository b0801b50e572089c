#include "libs/ai/solver/solver.h"

#include <gmock/gmock.h>

#include "libs/ai/solver/search.h"
#include "libs/ai/solver/testing/brute_force.h"
#include "libs/rules/testing/random_deals.h"

namespace tarot::ai {
namespace {

constexpr std::size_t kTableBytes = std::size_t{1} << 22;

// Returns a random deal with a taker, played at random until `tricks` tricks are left.
rules::Deal PlayedDown(int players, int tricks, Rng& rng) {
  rules::Deal deal;
  do {
    deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
  } while (deal.phase == rules::Phase::kDone);
  while (deal.phase != rules::Phase::kPlaying ||
         deal.hands[static_cast<std::size_t>(deal.turn)].Size() > tricks) {
    rules::Action action = RandomAction(deal, rng);
    if (deal.phase == rules::Phase::kBidding) action = rules::Action::Bid(rules::Contract::kGarde);
    if (!Apply(deal, deal.turn, action).ok()) {
      Apply(deal, deal.turn, rules::Action::Bid(rules::Contract::kPass));
    }
  }
  return deal;
}

// Returns a deal of three players with four cards each. Seat 0 is the taker and leads. All other
// cards are in the écart.
rules::Deal Dealt(const std::array<std::array<const char*, 4>, 3>& hands) {
  rules::Deal deal;
  deal.players = deal.playing = 3;
  deal.rules.hand_size[0] = 4;
  deal.phase = rules::Phase::kPlaying;
  deal.contract = rules::Contract::kGarde;
  deal.taker = deal.turn = 0;
  deal.trick_count = 1;
  deal.tricks[0].leader = 0;
  for (int i = 0; i < rules::kCardCount; ++i) deal.discard.Insert(rules::CardAt(i));
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    for (const char* text : hands[seat]) {
      const rules::Card card = *rules::ParseCard(text);
      deal.hands[seat].Insert(card);
      deal.discard.Erase(card);
    }
  }
  return deal;
}

TEST(Solver, AgreesWithBruteForce) { EXPECT_EQ(FirstWrongAnswer(20'000, 11), ""); }

TEST(Solver, AgreesWithItselfAfterEveryCard) { EXPECT_EQ(FirstInconsistency(3'400, 20), ""); }

// A trump is a sure trick for its hand if no other hand has a higher trump. The solver may find a
// proof with such a trick. It must not use this proof in a position where another hand has a higher
// trump.
TEST(Solver, CashesOnlyTheHighestTrumps) {
  using Hands = std::array<std::array<const char*, 4>, 3>;
  for (const Hands& hands : {
           Hands{{{"T5", "T10", "T16", "T21"},
                  {"S7", "S14", "T6", "T7"},
                  {"T2", "T4", "T12", "T17"}}},
           Hands{
               {{"S2", "T6", "T13", "T18"}, {"S7", "T4", "T5", "T17"}, {"S1", "H5", "H13", "T9"}}},
           Hands{{{"H10", "T3", "T13", "T19"},
                  {"S13", "T11", "T12", "T15"},
                  {"S9", "S12", "T10", "T20"}}},
       }) {
    const rules::Deal deal = Dealt(hands);
    const int truth = BruteForceValue(deal, Objective());
    const ValueBounds value = Solver(kTableBytes).Value(MakeOpenPosition(deal), Objective());
    EXPECT_EQ(value.lower, truth);
    EXPECT_EQ(value.upper, truth);
  }
}

TEST(Solver, PortableAndBmi2SearchAgree) {
  if (&BestSearch() == &kPortableSearch)
    GTEST_SKIP() << "This processor runs the portable code only.";
  const ContractGoal contract = GoalOfContract(rules::FindRuleSet("fft")->rules);
  Rng rng(5);
  ProofTable fast_table(kTableBytes);
  ProofTable portable_table(kTableBytes);
  for (int i = 0; i < 30; ++i) {
    const OpenPosition position = MakeOpenPosition(PlayedDown(3 + i % 3, 5, rng));
    const struct Setup setup = MakeSetup(position, contract.objective);
    fast_table.Prepare(setup);
    portable_table.Prepare(setup);
    const int need = contract.goal - setup.base;
    const WindowResult fast = kBmi2Search.window(setup, position, -1, need, 0, fast_table);
    const WindowResult slow = kPortableSearch.window(setup, position, -1, need, 0, portable_table);
    EXPECT_EQ(fast.nodes, slow.nodes);
    EXPECT_EQ(fast.attack, slow.attack);
    EXPECT_EQ(fast.amount, slow.amount);
  }
}

// AtLeast must agree with Value, and the best value of EveryCard must be the value of the position.
TEST(Solver, AnswersAreConsistent) {
  const ContractGoal contract = GoalOfContract(rules::FindRuleSet("fft")->rules);
  Rng rng(6);
  Solver solver(kTableBytes);
  for (int i = 0; i < 30; ++i) {
    const OpenPosition position = MakeOpenPosition(PlayedDown(3 + i % 3, 5, rng));
    const ValueBounds value = solver.Value(position, contract.objective);
    ASSERT_TRUE(value.exact());
    const bool made = value.lower >= contract.goal;
    EXPECT_EQ(solver.AtLeast(position, contract.objective, contract.goal),
              made ? Answer::kYes : Answer::kNo);
    int best = position.InAttack(position.Turn()) ? -1000 : 1000;
    for (const CardValue& card : solver.EveryCard(position, contract.objective)) {
      ASSERT_TRUE(card.value.exact());
      best = position.InAttack(position.Turn()) ? std::max(best, card.value.lower)
                                                : std::min(best, card.value.lower);
    }
    EXPECT_EQ(best, value.lower);
  }
}

// Deals of three players have the most tricks. The table of proofs has the setup directly after the
// learned leads in its memory. The leads of so many tricks must not overwrite the setup.
TEST(Solver, LearnedLeadsStayInBounds) {
  const ContractGoal contract = GoalOfContract(rules::FindRuleSet("fft")->rules);
  Rng rng(8);
  ProofTable table(kTableBytes);
  const OpenPosition position = MakeOpenPosition(PlayedDown(3, 24, rng));
  const struct Setup setup = MakeSetup(position, contract.objective);
  table.Prepare(setup);
  BestSearch().window(setup, position, -1, contract.goal - setup.base, 50'000, table);
  EXPECT_TRUE(table.setup == setup);
  EXPECT_NE(table.leads[SpanOf(24)], ProofTable::Leads());
}

TEST(Solver, ReturnsBoundsWhenNodesRunOut) {
  Rng rng(7);
  const OpenPosition position = MakeOpenPosition(PlayedDown(4, 9, rng));
  Solver solver(kTableBytes);
  const ValueBounds value = solver.Value(position, Objective(), 1000);
  EXPECT_FALSE(value.exact());
  EXPECT_LE(value.nodes, 1001u);
  const ValueBounds truth = solver.Value(position, Objective());
  ASSERT_TRUE(truth.exact());
  EXPECT_LE(value.lower, truth.lower);
  EXPECT_GE(value.upper, truth.upper);
  EXPECT_EQ(Solver(kTableBytes).AtLeast(position, Objective(), truth.lower, 100), Answer::kUnknown);
}

}  // namespace
}  // namespace tarot::ai
