// The cost of each decision of a deal, twice: in expectation, given what the seat knew, and with
// open hands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/ai/policy.h"
#include "libs/rules/deal.h"

namespace tarot::ai {

// One deal from its start. The rules accept every entry.
struct History {
  rules::Deal start;
  std::vector<std::pair<rules::Seat, rules::Action>> entries;  // In order.
};

struct AnalysisOptions {
  const Policy* policy = nullptr;  // The judge; lives for ever.
  std::uint64_t seed = 1;
  std::uint64_t node_budget = 0;  // For the expectation of a decision; 0: the level's own.
  // For the solver, per decision. Values that need more nodes stay unknown.
  std::uint64_t open_node_budget = 3'000'000;
};

// Points are hundredths of a point of the game, for the seat that decides.
struct OptionReport {
  rules::Action action;
  std::optional<int> expected;  // Mean over samples of the hidden hands.
  // The loss against the best card, if both camps play their best with open hands.
  std::optional<int> open_loss;
};

struct DecisionReport {
  int entry = 0;  // Index in the history.
  rules::Seat seat = rules::kNoSeat;
  rules::Phase phase = rules::Phase::kBidding;
  rules::Action played;
  bool forced = false;  // Only one action was legal: no options, no costs.
  int worlds = 0;       // Samples behind the expectations.
  // The best in expectation first; the played action is among them.
  std::vector<OptionReport> options;
  int expected_cost = 0;         // The best option less the played one; never negative.
  std::optional<int> open_cost;  // The same with open hands; may be high for a good decision.
  // The half points of the attack above those that its bouts ask for, if both camps play their best
  // with open hands from before this decision on; the contract is made from 0 on. Only in the play.
  std::optional<int> margin;
  std::optional<bool> contract_made;  // Known more often than the margin.
};

// The report of a whole deal.
struct DealReport {
  struct SeatCost {
    int decisions = 0;  // Without the forced ones.
    int expected_cost = 0;
    int open_cost = 0;  // The sum over the decisions whose open cost is known.
  };
  std::vector<SeatCost> seats;
  // Entries that changed, with open hands and best play from there on, whether the contract is
  // made. In order.
  std::vector<int> turning_points;
  // The entries that cost a point or more in expectation: the dearest first, at most ten.
  std::vector<int> mistakes;
};

// The report of a decision with open hands.
struct OpenJudgement {
  struct Loss {
    rules::Card card = rules::kNoCard;
    int points = 0;  // Hundredths of a point less than the best card, for the seat in turn.
  };
  std::vector<Loss> losses;   // One for every legal card; empty when the nodes ran out.
  std::optional<int> margin;  // As in DecisionReport.
  std::optional<bool> contract_made;
};

// `view` is the view of the seat in turn of `deal`. Empty outside the play, and where no camp plays
// for a contract. Plays at most about `node_cap` cards.
OpenJudgement JudgeOpen(const rules::Deal& deal, const rules::View& view, std::uint64_t node_cap);

// Judges the decisions of a deal one after the other, so that long work can be shown, shared and
// stopped. Not thread-safe. The same history and options give the same reports on any machine.
class Analyzer {
 public:
  Analyzer(History history, const AnalysisOptions& options);

  int decisions() const { return static_cast<int>(history_.entries.size()); }
  bool Done() const { return next_ == decisions(); }

  // Judges the next decision; not Done(). `stop` is polled; once it is true, returns nullopt soon,
  // and the analyzer must not be used again.
  std::optional<DecisionReport> Next(const std::function<bool()>& stop);

  // Covers the decisions so far.
  DealReport Summary() const;

 private:
  std::vector<int> TurningPoints() const;

  const History history_;
  const AnalysisOptions options_;
  rules::Deal deal_;  // Before entry `next_`.
  int next_ = 0;
  std::vector<DecisionReport> reports_;
};

}  // namespace tarot::ai
