#include "services/bot/app/chooser.h"

#include <gmock/gmock.h>

#include "libs/ai/arena.h"
#include "libs/base/error.h"
#include "libs/rules/deal.h"
#include "libs/testkit/status_matchers.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {
namespace {

using testing::AllOf;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

class ChooserTest : public testing::Test {
 protected:
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  Chooser chooser_{metrics_};
};

rules::Deal NewDeal(int players, std::uint64_t seed) {
  Rng rng(seed);
  return ai::RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
}

TEST_F(ChooserTest, PlaysWholeDealsAndCountsThem) {
  int decisions = 0;
  for (const int players : {3, 4, 5}) {
    rules::Deal deal = NewDeal(players, 5);
    while (deal.phase != rules::Phase::kDone) {
      const auto decision = chooser_.Choose({.view = RememberedView(deal, deal.turn),
                                             .level = "club",
                                             .seed = 1,
                                             .node_budget = 500});
      ASSERT_THAT(decision, IsOk());
      ASSERT_TRUE(Apply(deal, deal.turn, decision->action).ok());
      ++decisions;
    }
  }
  EXPECT_EQ(metrics_.by_level.at("club").decisions.Value(), decisions);
  EXPECT_GT(metrics_.by_level.at("club").nodes.Value(), decisions);
  EXPECT_EQ(metrics_.by_level.at("novice").decisions.Value(), 0);
}

TEST_F(ChooserTest, RefusesBadQuestions) {
  const rules::Deal deal = NewDeal(4, 1);
  const rules::View view = RememberedView(deal, deal.turn);
  const auto bad = AllOf(StatusIs(absl::StatusCode::kInvalidArgument), HasReason("BAD_REQUEST"));
  EXPECT_THAT(chooser_.Choose({.view = view, .level = "champion"}), bad);
  EXPECT_THAT(chooser_.Choose({.view = view, .level = "club", .node_budget = kNodeBudgetMax + 1}),
              bad);
  const auto not_in_turn =
      AllOf(StatusIs(absl::StatusCode::kFailedPrecondition), HasReason("NOT_YOUR_TURN"));
  EXPECT_THAT(chooser_.Choose({.view = RememberedView(deal, deal.dealer), .level = "novice"}),
              not_in_turn);
  EXPECT_THAT(chooser_.Choose({.view = RememberedView(deal, rules::kNoSeat), .level = "novice"}),
              not_in_turn);
}

// Changes one value of a view and sometimes its legal cards, as a faulty caller might.
void Mutate(rules::View& view, Rng& rng) {
  const auto card = [&rng] { return rules::CardAt(rng.Below(rules::kCardCount)); };
  const auto seat = [&rng] { return rng.Below(7) - 1; };
  const auto at = [&rng](int bound) { return static_cast<std::size_t>(rng.Below(bound)); };
  switch (rng.Below(19)) {
    case 0:
      view.players = 2 + rng.Below(5);
      break;
    case 1:
      view.dealer = seat();
      break;
    case 2:
      view.phase = static_cast<rules::Phase>(rng.Below(6));
      break;
    case 3:
      view.turn = view.viewer = seat();
      break;
    case 4:
      view.hand.Insert(card());
      break;
    case 5:
      view.hand.Erase(card());
      break;
    case 6:
      view.hand_counts[at(5)] = rng.Below(30);
      break;
    case 7:
      view.bids[at(5)] = static_cast<rules::Contract>(rng.Below(5));
      break;
    case 8:
      view.bid_count = rng.Below(6);
      break;
    case 9:
      view.taker = seat();
      break;
    case 10:
      view.contract = static_cast<rules::Contract>(rng.Below(5));
      break;
    case 11:
      view.called_card = card();
      break;
    case 12:
      view.partner = seat();
      break;
    case 13:
      view.dog.Insert(card());
      break;
    case 14:
      view.discard.Insert(card());
      break;
    case 15:
      view.discard_shown.Insert(card());
      break;
    case 16:
      view.trick_count = rng.Below(25);
      break;
    case 17:
      view.tricks[at(24)].cards[at(5)] = card();
      break;
    default:
      view.handfuls[0] = {.seat = seat(), .level = rng.Below(5)};
      while (view.handfuls[0].cards.Size() < 10)
        view.handfuls[0].cards.Insert(rules::Trump(1 + rng.Below(21)));
      view.handful_count = rng.Below(3);
  }
  if (rng.Below(4) == 0) view.legal.cards.Insert(card());
}

// The chooser must refuse each changed view, or answer with a card that the changed view lists as
// legal.
TEST_F(ChooserTest, SurvivesMutatedViews) {
  int refused = 0;
  int answered = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    const rules::RuleSet& set = rules::RuleSets()[seed % rules::RuleSets().size()].rules;
    const int players = set.players_min + rng.Below(set.players_max - set.players_min + 1);
    rules::Deal deal = ai::RandomDeal(set, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      for (const std::string& level : ai::Levels()) {
        rules::View mutant = view;
        for (int changes = 1 + rng.Below(2); changes > 0; --changes) Mutate(mutant, rng);
        const auto decision =
            chooser_.Choose({.view = mutant, .level = level, .seed = seed, .node_budget = 150});
        (decision.ok() ? answered : refused)++;
        if (!decision.ok()) continue;
        if (decision->action.kind == rules::Action::Kind::kPlay) {
          ASSERT_TRUE(mutant.legal.cards.Contains(decision->action.card));
        }
      }
      const auto next = chooser_.Choose({.view = view, .level = "novice"});
      ASSERT_THAT(next, IsOk());
      ASSERT_TRUE(Apply(deal, deal.turn, next->action).ok());
    }
  }
  EXPECT_GT(refused, 2000);
  EXPECT_GT(answered, 100);
}

}  // namespace
}  // namespace tarot::bot_service
