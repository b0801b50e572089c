#include "libs/ai/analysis/analyzer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libs/ai/arena.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Deal;

constexpr std::uint64_t kOpenNodes = 60'000;

History Played(const char* set, int players, std::uint64_t seed) {
  Rng rng(seed);
  History history{.start = RandomDeal(rules::FindRuleSet(set)->rules, players, rng)};
  Deal deal = history.start;
  while (deal.phase != rules::Phase::kDone) {
    const rules::Seat seat = deal.turn;
    const Decision decision =
        FindPolicy("novice")->Choose(RememberedView(deal, seat), Rng(seed), {});
    EXPECT_TRUE(Apply(deal, seat, decision.action).ok());
    history.entries.emplace_back(seat, decision.action);
  }
  return history;
}

AnalysisOptions Small() {
  return {.policy = FindPolicy("club"), .node_budget = 1500, .open_node_budget = kOpenNodes};
}

std::vector<DecisionReport> AllOf(Analyzer& analyzer) {
  std::vector<DecisionReport> reports;
  while (!analyzer.Done()) reports.push_back(*analyzer.Next({}));
  return reports;
}

// Returns the history of a deal that has a taker.
History Taken(int players) {
  for (std::uint64_t seed = 1;; ++seed) {
    History history = Played("fft", players, seed);
    if (history.entries.size() > 20) return history;
  }
}

TEST(AnalyzerTest, JudgesEveryDecisionOfADeal) {
  for (const int players : {3, 4, 5}) {
    const History history = Taken(players);
    Analyzer analyzer(history, Small());
    const std::vector<DecisionReport> reports = AllOf(analyzer);
    ASSERT_EQ(reports.size(), history.entries.size());
    int open = 0;
    for (const DecisionReport& report : reports) {
      EXPECT_EQ(report.played, history.entries[static_cast<std::size_t>(report.entry)].second);
      EXPECT_GE(report.expected_cost, 0);
      EXPECT_GE(report.open_cost.value_or(0), 0);
      open += report.open_cost.has_value() ? 1 : 0;
      if (report.forced) {
        EXPECT_TRUE(report.options.empty());
        EXPECT_EQ(report.expected_cost, 0);
        continue;
      }
      const auto played =
          std::find_if(report.options.begin(), report.options.end(),
                       [&](const OptionReport& o) { return o.action == report.played; });
      ASSERT_NE(played, report.options.end());
      ASSERT_TRUE(played->expected.has_value());
      EXPECT_EQ(report.expected_cost, *report.options.front().expected - *played->expected);
    }
    // The node budget is enough to solve at least the last four tricks.
    EXPECT_GT(open, 4 * players);
  }
}

// Novices make many faults. The budget is enough for twenty worlds in most decisions.
TEST(AnalyzerTest, OnlyFaultsHaveReasons) {
  int faults = 0, uncertain = 0, reasons = 0, bids = 0;
  for (const int players : {3, 4, 5}) {
    Analyzer analyzer(Taken(players), {.policy = FindPolicy("club"), .open_node_budget = 1000});
    const std::vector<DecisionReport> reports = AllOf(analyzer);
    for (const DecisionReport& report : reports) {
      if (report.better) {
        ++faults;
        EXPECT_NE(*report.better, report.played);
        EXPECT_GT(*report.cost_low, 0);
        EXPECT_GT(report.expected_cost, 0);
        EXPECT_LE(*report.cost_low, report.expected_cost);
        EXPECT_GE(*report.cost_high, report.expected_cost);
      } else {
        EXPECT_TRUE(report.reasons.empty());
        uncertain += report.expected_cost > 0 ? 1 : 0;
      }
      EXPECT_LE(report.reasons.size(), 3u);
      reasons += static_cast<int>(report.reasons.size());
      const bool bid = report.phase == rules::Phase::kBidding && !report.forced;
      EXPECT_EQ(report.hand.has_value(), bid);
      for (const OptionReport& option : report.options) {
        const bool contract = bid && option.action.contract != rules::Contract::kPass;
        EXPECT_EQ(option.low.has_value(), contract);
        if (!contract) continue;
        ++bids;
        EXPECT_TRUE(option.made.has_value());
        EXPECT_LT(*option.low, *option.high);
      }
    }
    for (const int entry : analyzer.Summary().mistakes) {
      EXPECT_TRUE(reports[static_cast<std::size_t>(entry)].better.has_value());
    }
  }
  EXPECT_GT(faults, 5);
  EXPECT_GT(uncertain, 5);
  EXPECT_GT(reasons, 5);
  EXPECT_GT(bids, 5);
}

TEST(AnalyzerTest, SameHistoryGivesTheSameReports) {
  const History history = Taken(4);
  Analyzer one(history, Small());
  Analyzer two(history, Small());
  while (!one.Done()) {
    const auto a = one.Next({});
    const auto b = two.Next({});
    ASSERT_EQ(a->expected_cost, b->expected_cost);
    ASSERT_EQ(a->options.size(), b->options.size());
    for (std::size_t i = 0; i < a->options.size(); ++i) {
      EXPECT_EQ(a->options[i].action, b->options[i].action);
      EXPECT_EQ(a->options[i].expected, b->options[i].expected);
    }
  }
}

// The open cost of a card says how much its seat loses with this card if all hands are open. A card
// with the open cost 0 must not change the outcome.
TEST(AnalyzerTest, OpenCostsAndTurningPointsAgreeWithTheValues) {
  int turning = 0, compared = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const History history = Played("fft", 3 + static_cast<int>(seed % 3), seed);
    Analyzer analyzer(history, Small());
    const std::vector<DecisionReport> reports = AllOf(analyzer);
    const DealReport summary = analyzer.Summary();
    for (std::size_t i = 0; i + 1 < reports.size(); ++i) {
      if (!reports[i].contract_made || !reports[i + 1].contract_made) continue;
      const bool turned = *reports[i].contract_made != *reports[i + 1].contract_made;
      EXPECT_EQ(std::count(summary.turning_points.begin(), summary.turning_points.end(), i),
                turned ? 1 : 0);
      turning += turned ? 1 : 0;
      // The decision that changed the outcome must have a cost, or an unknown cost.
      if (turned) {
        EXPECT_GT(reports[i].open_cost.value_or(1), 0);
      }
      if (reports[i].open_cost == 0 && reports[i].margin && reports[i + 1].margin) {
        EXPECT_FALSE(turned);
        ++compared;
      }
    }
  }
  EXPECT_GT(turning, 0);
  EXPECT_GT(compared, 50);
}

TEST(AnalyzerTest, SummaryAddsUpTheSeats) {
  const History history = Taken(4);
  Analyzer analyzer(history, Small());
  const std::vector<DecisionReport> reports = AllOf(analyzer);
  const DealReport summary = analyzer.Summary();
  ASSERT_EQ(summary.seats.size(), 4u);
  int cost = 0, decisions = 0;
  for (const DealReport::SeatCost& seat : summary.seats) {
    cost += seat.expected_cost;
    decisions += seat.decisions;
  }
  for (const DecisionReport& report : reports) {
    cost -= report.expected_cost;
    decisions -= report.forced ? 0 : 1;
  }
  EXPECT_EQ(cost, 0);
  EXPECT_EQ(decisions, 0);
  for (std::size_t i = 1; i < summary.mistakes.size(); ++i) {
    EXPECT_GE(reports[static_cast<std::size_t>(summary.mistakes[i - 1])].expected_cost,
              reports[static_cast<std::size_t>(summary.mistakes[i])].expected_cost);
  }
}

TEST(AnalyzerTest, StopsWhenStopReturnsTrue) {
  Analyzer analyzer(Taken(4), Small());
  ASSERT_TRUE(analyzer.Next([] { return false; }).has_value());
  EXPECT_FALSE(analyzer.Next([] { return true; }).has_value());
}

// The test covers every rule set, including those without a taker.
TEST(AnalyzerTest, JudgesEveryRuleSet) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    SCOPED_TRACE(named.name);
    const History history = Played(std::string(named.name).c_str(), named.rules.players_max, 3);
    AnalysisOptions options = Small();
    options.node_budget = 100;
    options.open_node_budget = 500;
    Analyzer analyzer(history, options);
    EXPECT_EQ(AllOf(analyzer).size(), history.entries.size());
    EXPECT_EQ(analyzer.Summary().seats.size(), static_cast<std::size_t>(named.rules.players_max));
  }
}

}  // namespace
}  // namespace tarot::ai
