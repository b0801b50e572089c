// Measures the cost of each decision of a deal in two ways. The first cost is the expected loss for
// a seat that does not see the hidden cards. The second cost is the loss if all hands are open.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/ai/analysis/reasons.h"
#include "libs/ai/policy.h"
#include "libs/rules/deal.h"

namespace tarot::ai {

// A deal with all its actions, from the first bid on. All actions must be legal.
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
  // The `node_cap` of JudgeOpen() for each decision. A value stays unknown if the solver would need
  // more nodes to find it.
  std::uint64_t open_node_budget = 3'000'000;
};

// One possible action of a decision. All values are in hundredths of a point of the game, for the
// seat that decides.
struct OptionReport {
  rules::Action action;
  std::optional<int> expected;  // The mean value over the sampled worlds.
  // The loss of this action compared with the best card. Here all hands are open, and both camps
  // play their best.
  std::optional<int> open_loss;
  std::optional<int> made;                   // Candidate::made
  std::optional<int> made_error;             // Candidate::made_error
  std::optional<int> made_difference_error;  // Candidate::made_difference_error
  std::optional<int> low;                    // Candidate::low
  std::optional<int> high;                   // Candidate::high
};

struct DecisionReport {
  int entry = 0;  // The decision's index in the history.
  rules::Seat seat = rules::kNoSeat;
  rules::Phase phase = rules::Phase::kBidding;
  rules::Action played;
  // True if only one action was legal. Then there are no options and no costs.
  bool forced = false;
  int worlds = 0;  // The number of sampled worlds. Each expected value is a mean over these worlds.
  // The options, sorted by expected value, best first. The played action is one of them.
  std::vector<OptionReport> options;
  // The expected value of the best option minus the expected value of the played action. The unit
  // is a hundredth of a point. The number is never negative.
  int expected_cost = 0;
  // Set if the decision is a fault: the action that the level would choose. The decision is a fault
  // if this action is certain to be better than the played action: its value is higher by more than
  // three standard errors. The level does not always choose the option with the highest value,
  // because play-outs value some cards too highly (tie_break.h).
  std::optional<rules::Action> better;
  // The interval of `expected_cost`: three standard errors (Candidate::difference_error) to each
  // side. The number three is larger than usual, because the best of many options often looks
  // better than it is. The interval is absent if the played action is the best option, or if there
  // are too few worlds.
  std::optional<int> cost_low;
  std::optional<int> cost_high;
  // The facts that explain why `better` is better. Empty if the decision is no fault.
  std::vector<Reason> reasons;
  std::optional<HandFacts> hand;  // Set if the decision is a bid that was not forced.
  // The loss of the played action if all hands are open, in hundredths of a point. Even a good
  // decision may have a large loss here, because the seat did not see the hidden cards.
  std::optional<int> open_cost;
  // The margin that the attack reaches if all hands are open from this decision on and both camps
  // play their best. The margin is the attack's half points above its threshold. If it is 0 or
  // more, the attack makes the contract. Only decisions in the play have a margin.
  std::optional<int> margin;
  // True if the margin is 0 or more. The solver needs fewer nodes for this answer than for the
  // margin. So `contract_made` may be set although `margin` is not.
  std::optional<bool> contract_made;
};

struct DealReport {
  struct SeatCost {
    int decisions = 0;  // The number of decisions with more than one legal action.
    int expected_cost = 0;
    // The sum of the values `open_cost`, over the decisions where this value is known.
    int open_cost = 0;
  };
  std::vector<SeatCost> seats;
  // The indices of the entries that changed the outcome, in rising order. The outcome is true if
  // the attack makes the contract when all hands are open and both camps play their best.
  std::vector<int> turning_points;
  // The indices of the faults (DecisionReport::better) with an `expected_cost` of one point or
  // more, the most expensive entry first. The list has at most ten entries.
  std::vector<int> mistakes;
};

// The judgement of one decision if all hands are open.
struct OpenJudgement {
  struct Loss {
    rules::Card card = rules::kNoCard;
    // How much the seat in turn loses with this card compared with its best card, in hundredths of
    // a point.
    int points = 0;
  };
  // One element for every legal card. The list is empty if the losses are unknown.
  std::vector<Loss> losses;
  std::optional<int> margin;  // The same as DecisionReport::margin.
  std::optional<bool> contract_made;
};

// Judges the next decision of `deal` with all hands open. `view` must be the view of the seat in
// turn. The result is empty if the deal is not in the play, or if Endgame::Applies(view) is false.
// The solver may play about `node_cap` cards to find the margins, and the same number to find the
// bonuses. To find whether the contract is made, it may play a quarter of this number.
OpenJudgement JudgeOpen(const rules::Deal& deal, const rules::View& view, std::uint64_t node_cap);

// Judges the decisions of a deal, one decision in each call of Next(). So between two calls, a
// caller can send a report, do other work, or stop. Not thread-safe. The same history and options
// give the same reports on any machine.
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
  // Adds the reasons to the report of a fault. `view` is the view of the seat that decides.
  void AddReasons(const rules::View& view, Rng rng, DecisionReport& report) const;

  const History history_;
  const AnalysisOptions options_;
  rules::Deal deal_;  // The state of the deal before entry number `next_`.
  int next_ = 0;
  bool slam_made_ = false;  // True if the attack wins every trick of the complete deal.
  std::vector<DecisionReport> reports_;
};

}  // namespace tarot::ai
