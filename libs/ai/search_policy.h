// The levels that search: they sample the hidden cards and choose the best action on average.
// README.md has their settings as a table.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/policy.h"
#include "libs/ai/style.h"

namespace tarot::ai {

// The settings of a level. Node budgets are in cards played; a budget in the request replaces both.
struct SearchBudget {
  std::uint64_t node_budget = 80'000;  // For play-outs: about 5 ms a decision.
  std::uint64_t endgame_budget = 0;    // For solved endings.
  // Endings are solved from this many tricks left, by the number of seats with cards.
  std::array<int, rules::kPlayersMax + 1> endgame_tricks{};
  // The most worlds for a card; near the end worlds are cheap and more of them change nothing.
  int worlds_max = 400;
  int plan_worlds_max = 400;     // The most worlds for a call and an écart.
  bool likely_discards = false;  // In most worlds the écart is a likely one (LikelyDiscard).
  const StyleWeights* style = nullptr;  // Half of the play-outs use it, the others the heuristic.
};

// A few worlds: sees likely things and misses subtle ones.
inline constexpr SearchBudget kClub{.node_budget = 8'000, .worlds_max = 40};
// Endings take about 20 ms. The solver assumes open hands, so its choice is bad while much is
// hidden: from seven tricks of five players it loses points (docs/lab).
inline constexpr SearchBudget kStrong{.endgame_budget = 200'000,
                                      .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                      .likely_discards = true,
                                      .style = &kFittedStyle};
// Below 50 ms a move, also in slow hours of a machine (docs/bots.md).
inline constexpr SearchBudget kExpert{.node_budget = 200'000,
                                      .endgame_budget = 140'000,
                                      .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                      .worlds_max = 1'600,
                                      .plan_worlds_max = 800,
                                      .likely_discards = true,
                                      .style = &kFittedStyle};
// Seconds a move: for analysis and as a yardstick, not for tables.
inline constexpr SearchBudget kOracle{.node_budget = 10'000'000,
                                      .endgame_budget = 30'000'000,
                                      .endgame_tricks = {0, 0, 0, 8, 8, 0},
                                      .worlds_max = 4'000,
                                      .plan_worlds_max = 4'000,
                                      .likely_discards = true,
                                      .style = &kFittedStyle};

class SearchPolicy final : public Policy {
 public:
  explicit SearchPolicy(const SearchBudget& budget) : budget_(budget) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const SearchBudget budget_;
};

}  // namespace tarot::ai
