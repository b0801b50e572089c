// The levels that search. They sample the hidden cards and choose the action that is best on
// average. README.md has their settings as a table.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/policy.h"
#include "libs/ai/style.h"

namespace tarot::ai {

// The settings of a level. Node budgets count the cards played in the search. A budget in the
// request replaces `node_budget` and `endgame_budget`.
struct SearchBudget {
  std::uint64_t node_budget = 80'000;  // The budget for play-outs. 80,000 nodes take about 5 ms.
  std::uint64_t endgame_budget = 0;    // The budget for solved endings.
  // With n seats that hold cards, the search solves the worlds exactly when endgame_tricks[n] or
  // fewer tricks are left.
  std::array<int, rules::kPlayersMax + 1> endgame_tricks{};
  // The maximum number of worlds for the choice of a card. Near the end of a deal, play-outs take
  // few nodes. Without this limit, the search would then sample far more worlds than it needs.
  // `kClub` has a low limit, which makes it weaker.
  int worlds_max = 400;
  int plan_worlds_max = 400;  // The maximum number of worlds for a call and an écart.
  // If true, most worlds for the choice of a card get a likely écart (LikelyDiscard).
  bool likely_discards = false;
  // With n seats that hold cards, believes_bids[n] says whether the search for a card draws a world
  // with a probability proportional to the likelihood of the bids in this world (BidBelief).
  std::array<bool, rules::kPlayersMax + 1> believes_bids{};
  // If true, the level corrects the values of cards, which are too high on average (HonestValue).
  bool honest_values = false;
  // If true, the level commits a fault (FaultOf) only for a clear gain.
  bool avoids_faults = false;
  // With n seats that hold cards, Garde sans and Garde contre must be worth untouched_gain[n]
  // hundredths of a point more than the best other bid, because they double and triple the stakes
  // of a Garde. With five players, played deals show no gain where the level expects less than 60
  // points (docs/lab).
  std::array<int, rules::kPlayersMax + 1> untouched_gain{};
  // In the auction, the level subtracts this many hundredths of a point from the value of a pass.
  // So it bids contracts that it expects to lose by a little, as people at casual tables do.
  int pass_penalty = 0;
  // If true, an écart that the search dropped early is compared with the best écart only in the
  // worlds that both saw. `kFrozenExpert` compares means over different worlds, as it always did.
  bool compares_common_worlds = true;
  // If set, the play-outs of every second world use this style. All other play-outs use the
  // heuristic.
  const StyleWeights* style = nullptr;
};

// This level samples only a few worlds. So if a danger exists in few of the possible worlds, this
// level often misses it.
inline constexpr SearchBudget kClub{.node_budget = 8'000, .worlds_max = 40};
// The mean decision takes less than 3 ms, because the platform pays for many bots of this level.
// The solver plays as if all hands were open, so it chooses badly while many cards are hidden. With
// five players, a solver that begins at seven tricks loses points (docs/lab).
inline constexpr SearchBudget kStrong{.node_budget = 30'000,
                                      .endgame_budget = 45'000,
                                      .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                      .likely_discards = true,
                                      .avoids_faults = true,
                                      .untouched_gain = {0, 0, 0, 0, 0, 6'000},
                                      .style = &kFittedStyle};
// This level plays cards as `kStrong` does. It passes about as often as people at casual tables
// (docs/bots.md).
inline constexpr SearchBudget kSociable = [] {
  SearchBudget budget = kStrong;
  budget.pass_penalty = 4'000;
  return budget;
}();
// Of 100 moves, 99 take less than 50 ms (docs/bots.md).
inline constexpr SearchBudget kExpert{.node_budget = 200'000,
                                      .endgame_budget = 140'000,
                                      .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                      .worlds_max = 1'600,
                                      .plan_worlds_max = 800,
                                      .likely_discards = true,
                                      .believes_bids = {false, false, false, true, true, false},
                                      .honest_values = true,
                                      .avoids_faults = true,
                                      .untouched_gain = {0, 0, 0, 0, 0, 6'000},
                                      .style = &kFittedStyle};
// This level has ten times the budget of `kExpert`, for analyses and offline matches. A move takes
// about a quarter of a second, which is too slow for the tables of the platform.
inline constexpr SearchBudget kMaster = [] {
  SearchBudget budget = kExpert;
  budget.node_budget *= 10;
  budget.endgame_budget *= 10;
  budget.worlds_max *= 10;
  budget.plan_worlds_max *= 10;
  return budget;
}();
// This is `kExpert` as it was on 2026-11-22, at commit 9852c30. Benchmarks play newer bots against
// it, so that they show progress in one run. Do not change it: a test compares its decisions with
// those of that commit (tests/golden/bot_signature.txt).
inline constexpr SearchBudget kFrozenExpert{.node_budget = 200'000,
                                            .endgame_budget = 140'000,
                                            .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                            .worlds_max = 1'600,
                                            .plan_worlds_max = 800,
                                            .likely_discards = true,
                                            .compares_common_worlds = false,
                                            .style = &kFittedStyle};
// A move takes seconds. The level serves for analysis and comparison, not for tables.
inline constexpr SearchBudget kOracle{.node_budget = 10'000'000,
                                      .endgame_budget = 30'000'000,
                                      .endgame_tricks = {0, 0, 0, 8, 8, 0},
                                      .worlds_max = 4'000,
                                      .plan_worlds_max = 4'000,
                                      .likely_discards = true,
                                      .believes_bids = {false, false, false, true, true, false},
                                      .honest_values = true,
                                      .avoids_faults = true,
                                      .untouched_gain = {0, 0, 0, 0, 0, 6'000},
                                      .style = &kFittedStyle};

class SearchPolicy final : public Policy {
 public:
  explicit SearchPolicy(const SearchBudget& budget) : budget_(budget) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const SearchBudget budget_;
};

}  // namespace tarot::ai
