// The levels that sample: what each knows and spends (README.md has them as a table).
#pragma once

#include "libs/ai/card_search.h"

namespace tarot::ai {

// A few worlds: sees what is likely, misses what is subtle.
inline constexpr Effort kClub{.node_budget = 8'000, .worlds_max = 40};
// Endings of about 20 ms. The solver sees all hands, so whoever believes it plays as if they were
// going to be seen: harmful while much is hidden. From seven tricks of five players it loses points
// (docs/bench.md).
inline constexpr Effort kStrong{.endgame_budget = 200'000,
                                .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                .likely_discards = true,
                                .style = &kStyleOfPlay};

// Below 50 ms a move, in slow hours of a machine, too (docs/bots.md).
inline constexpr Effort kExpert{.node_budget = 200'000,
                                .endgame_budget = 140'000,
                                .endgame_tricks = {0, 0, 0, 7, 7, 0},
                                .worlds_max = 1'600,
                                .plan_worlds_max = 800,
                                .likely_discards = true,
                                .style = &kStyleOfPlay};
// Seconds a move: for analysis and as a yardstick, not for tables.
inline constexpr Effort kOracle{.node_budget = 10'000'000,
                                .endgame_budget = 30'000'000,
                                .endgame_tricks = {0, 0, 0, 8, 8, 0},
                                .worlds_max = 4'000,
                                .plan_worlds_max = 4'000,
                                .likely_discards = true,
                                .style = &kStyleOfPlay};

class Sampling final : public Policy {
 public:
  explicit Sampling(const Effort& effort) : effort_(effort) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const Effort effort_;
};

}  // namespace tarot::ai
