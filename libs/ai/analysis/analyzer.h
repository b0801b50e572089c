// What each decision of a deal cost: in expectation, from what the seat knew, and with open hands,
// from what it could not know.
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

// One deal from its start on. Every entry was accepted by the rules.
struct History {
  rules::Deal start;
  std::vector<std::pair<rules::Seat, rules::Action>> entries;  // Who did what, in order.
};

struct AnalysisEffort {
  const Policy* policy = nullptr;  // Who judges; lives for ever.
  std::uint64_t seed = 1;
  std::uint64_t node_budget = 0;  // Of the expectation, a decision; 0: the level's own.
  // Of the solver, a decision. What it does not answer within that stays unknown.
  std::uint64_t open_node_budget = 3'000'000;
};

// Points are hundredths of a point of the game, to the seat that decides.
struct OptionReport {
  rules::Action action;
  std::optional<int> expected;  // Over the hidden hands that it could not tell apart.
  // Less than the best card, both camps at their best with every hand known.
  std::optional<int> open_loss;
};

struct DecisionReport {
  int entry = 0;  // Of the history, from 0.
  rules::Seat seat = rules::kNoSeat;
  rules::Phase phase = rules::Phase::kBidding;
  rules::Action played;
  bool forced = false;  // There was nothing to decide: no options, no costs.
  int worlds = 0;       // Behind the expectations.
  // The best in expectation first; what was played is among them.
  std::vector<OptionReport> options;
  int expected_cost = 0;         // Best option less the played one; never negative.
  std::optional<int> open_cost;  // The same with open hands; may be high where nobody could know.
  // Half points of the attack above what its bouts ask for, both camps at their best with open
  // hands, before this decision; the contract is made from 0 on. In play only.
  std::optional<int> margin;
  std::optional<bool> contract_made;  // Known more often than the margin.
};

// The report of a whole deal.
struct DealReport {
  struct SeatCost {
    int decisions = 0;  // Not forced.
    int expected_cost = 0;
    int open_cost = 0;  // Of the decisions where it is known.
  };
  std::vector<SeatCost> seats;
  // Entries after which, with open hands and the best play of all from there on, the contract was
  // no longer what it had been: made or failed. In order.
  std::vector<int> turning_points;
  // Entries that cost more than a point in expectation: the dearest first, at most ten.
  std::vector<int> mistakes;
};

// Goes through a deal one decision after the other, so that long work can be shown, shared and
// stopped. Not thread-safe. Same history and effort, same reports, on any machine.
class Analyzer {
 public:
  Analyzer(History history, const AnalysisEffort& effort);

  int decisions() const { return static_cast<int>(history_.entries.size()); }
  bool Done() const { return next_ == decisions(); }

  // The next decision; not Done(). `stop`, polled, ends the work soon: then nullopt, and the
  // analyzer is of no more use.
  std::optional<DecisionReport> Next(const std::function<bool()>& stop);

  // Of the decisions so far.
  DealReport Summary() const;

 private:
  std::vector<int> TurningPoints() const;

  const History history_;
  const AnalysisEffort effort_;
  rules::Deal deal_;  // Before entry `next_`.
  int next_ = 0;
  std::vector<DecisionReport> reports_;
};

}  // namespace tarot::ai
