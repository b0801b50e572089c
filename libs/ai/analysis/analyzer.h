// Measures the cost of each decision of a deal in two ways: the expected loss, given the cards that
// the seat knew, and the loss with open hands.
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

// One deal from its start. The rules must accept every entry.
struct History {
  rules::Deal start;
  // The actions in their order, each with its seat.
  std::vector<std::pair<rules::Seat, rules::Action>> entries;
};

struct AnalysisOptions {
  // This policy judges the decisions. It must outlive the analysis.
  const Policy* policy = nullptr;
  std::uint64_t seed = 1;
  // The node budget for the expectations of one decision. 0 means the level's own budget.
  std::uint64_t node_budget = 0;
  // The `node_cap` of JudgeOpen() for each decision. A value that needs more nodes stays unknown.
  std::uint64_t open_node_budget = 3'000'000;
};

// One possible action of a decision. All values are in hundredths of a point of the game, for the
// seat that decides.
struct OptionReport {
  rules::Action action;
  std::optional<int> expected;  // The mean over samples of the hidden hands.
  // The points lost against the best card, if both camps play their best with open hands.
  std::optional<int> open_loss;
};

struct DecisionReport {
  int entry = 0;  // The decision's index in the history.
  rules::Seat seat = rules::kNoSeat;
  rules::Phase phase = rules::Phase::kBidding;
  rules::Action played;
  // True if only one action was legal. Then there are no options and no costs.
  bool forced = false;
  int worlds = 0;  // The number of samples behind the expectations.
  // Sorted by expectation, best first. The played action is one of them.
  std::vector<OptionReport> options;
  // The expected value of the best option minus that of the played one, in hundredths of a point;
  // never negative.
  int expected_cost = 0;
  // The loss of the played action with open hands, in hundredths of a point. A good decision may
  // have a large loss here.
  std::optional<int> open_cost;
  // The attack's half points above its threshold, if both camps play their best with open hands
  // from this decision on. It is set only for decisions in the play. If it is 0 or more, the attack
  // makes the contract.
  std::optional<int> margin;
  // Says whether `margin` is 0 or more. The solver needs fewer nodes for this answer, so it may be
  // set when `margin` is not.
  std::optional<bool> contract_made;
};

// The report of a whole deal.
struct DealReport {
  struct SeatCost {
    int decisions = 0;  // The number of decisions without the forced ones.
    int expected_cost = 0;
    int open_cost = 0;  // The sum over the decisions whose open cost is known.
  };
  std::vector<SeatCost> seats;
  // An entry is listed if the contract would be made before it and would fail after it, or the
  // reverse, when both camps then play their best with open hands. The numbers are indices of the
  // history's entries, in rising order.
  std::vector<int> turning_points;
  // The entries that cost a point or more in expectation: at most ten, the most expensive first.
  std::vector<int> mistakes;
};

// The report of a decision with open hands.
struct OpenJudgement {
  struct Loss {
    rules::Card card = rules::kNoCard;
    // The points lost against the best card, in hundredths of a point, for the seat in turn.
    int points = 0;
  };
  // Has one element for every legal card. It is empty if the nodes ran out.
  std::vector<Loss> losses;
  std::optional<int> margin;  // The same as DecisionReport::margin.
  std::optional<bool> contract_made;
};

// Judges the decision of the seat in turn of `deal`, with open hands; `view` is that seat's view.
// The result is empty if the seat does not play a card, or if no camp plays for a contract. The
// solver may play `node_cap` cards to find the margins and the same number to find the bonuses. To
// find whether the contract is made, it may play a quarter of this number.
OpenJudgement JudgeOpen(const rules::Deal& deal, const rules::View& view, std::uint64_t node_cap);

// Judges the decisions of a deal, one in each call. So a caller can send each report at once, do
// other work between two calls, or stop early. Not thread-safe. The same history and options give
// the same reports on any machine.
class Analyzer {
 public:
  Analyzer(History history, const AnalysisOptions& options);

  int decisions() const { return static_cast<int>(history_.entries.size()); }
  bool Done() const { return next_ == decisions(); }

  // Judges the next decision. Call it only while Done() is false. Next() polls `stop`. When `stop`
  // returns true, Next() soon returns nullopt, and the analyzer must not be used again.
  std::optional<DecisionReport> Next(const std::function<bool()>& stop);

  // Returns the report of the decisions so far.
  DealReport Summary() const;

 private:
  std::vector<int> TurningPoints() const;

  const History history_;
  const AnalysisOptions options_;
  rules::Deal deal_;  // The deal before entry number `next_`.
  int next_ = 0;
  std::vector<DecisionReport> reports_;
};

}  // namespace tarot::ai
