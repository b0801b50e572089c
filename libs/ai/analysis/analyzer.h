// Measures the cost of each decision of a deal in two ways. The first is the expected loss for a
// seat that does not see the hidden cards. The second is the loss if all hands are open.
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

// One deal from its start. All its actions must be legal.
struct History {
  rules::Deal start;
  // The actions in the order of play, each with the seat that acts.
  std::vector<std::pair<rules::Seat, rules::Action>> entries;
};

struct AnalysisOptions {
  // This policy judges the decisions. It must outlive the Analyzer.
  const Policy* policy = nullptr;
  std::uint64_t seed = 1;
  // The node budget for the expected values of one decision. 0 means the level's own budget.
  std::uint64_t node_budget = 0;
  // The `node_cap` of JudgeOpen() for each decision. A value that needs more nodes stays unknown.
  std::uint64_t open_node_budget = 3'000'000;
};

// One possible action of a decision. All values are in hundredths of a point of the game, for the
// seat that decides.
struct OptionReport {
  rules::Action action;
  std::optional<int> expected;  // The mean value over the sampled worlds.
  // The loss compared with the best card, if both camps play their best with open hands.
  std::optional<int> open_loss;
};

struct DecisionReport {
  int entry = 0;  // The decision's index in the history.
  rules::Seat seat = rules::kNoSeat;
  rules::Phase phase = rules::Phase::kBidding;
  rules::Action played;
  // True if only one action was legal. Then there are no options and no costs.
  bool forced = false;
  int worlds = 0;  // The number of sampled worlds. Each expected value is a mean over them.
  // The options, sorted by expected value, best first. The played action is one of them.
  std::vector<OptionReport> options;
  // The expected value of the best option minus the expected value of the played action, in
  // hundredths of a point; never negative.
  int expected_cost = 0;
  // The loss of the played action with open hands, in hundredths of a point. A good decision may
  // have a large loss here.
  std::optional<int> open_cost;
  // The margin: the attack's half points above its threshold at the end of the deal, if both camps
  // play their best with open hands from this decision on. If it is 0 or more, the attack makes the
  // contract. Only decisions in the play have a margin.
  std::optional<int> margin;
  // Says whether the margin is 0 or more. The solver needs fewer nodes for this answer than for the
  // margin, so `contract_made` may be set although `margin` is not.
  std::optional<bool> contract_made;
};

struct DealReport {
  struct SeatCost {
    int decisions = 0;  // The number of decisions with more than one legal action.
    int expected_cost = 0;
    // The sum of the costs with open hands, over the decisions where this cost is known.
    int open_cost = 0;
  };
  std::vector<SeatCost> seats;
  // The indices of the entries that changed the outcome, in rising order. The outcome says whether
  // the attack makes the contract if both camps play their best with open hands.
  std::vector<int> turning_points;
  // The indices of the entries with an `expected_cost` of a point or more: at most ten, the most
  // expensive first.
  std::vector<int> mistakes;
};

// The report of one decision, judged with open hands.
struct OpenJudgement {
  struct Loss {
    rules::Card card = rules::kNoCard;
    // The loss of the seat in turn compared with its best card, in hundredths of a point.
    int points = 0;
  };
  // One element for every legal card. Empty if the losses are unknown.
  std::vector<Loss> losses;
  std::optional<int> margin;  // The same as DecisionReport::margin.
  std::optional<bool> contract_made;
};

// Judges the decision of the seat in turn of `deal`, with open hands; `view` is that seat's view.
// The result is empty if the deal is not in the play, or if Endgame::Applies(view) is false. To
// find the margins, the solver may play about `node_cap` cards. It may play the same number to find
// the bonuses, and a quarter of it to find whether the contract is made.
OpenJudgement JudgeOpen(const rules::Deal& deal, const rules::View& view, std::uint64_t node_cap);

// Judges the decisions of a deal, one in each call of Next(). So a caller can send each report at
// once, do other work between two calls, or stop early. Not thread-safe. The same history and
// options give the same reports on any machine.
class Analyzer {
 public:
  Analyzer(History history, const AnalysisOptions& options);

  int decisions() const { return static_cast<int>(history_.entries.size()); }
  bool Done() const { return next_ == decisions(); }

  // Judges the next decision. Call it only while Done() is false. Next() polls `stop`. When `stop`
  // returns true, Next() soon returns nullopt, and the analyzer must not be used again.
  std::optional<DecisionReport> Next(const std::function<bool()>& stop);

  // Returns the report of the decisions judged so far.
  DealReport Summary() const;

 private:
  std::vector<int> TurningPoints() const;

  const History history_;
  const AnalysisOptions options_;
  rules::Deal deal_;  // The state of the deal before entry number `next_`.
  int next_ = 0;
  std::vector<DecisionReport> reports_;
};

}  // namespace tarot::ai
