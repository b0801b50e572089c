// The levels that sample: `club`, and `strong`, which solves the last tricks (card_search.h,
// hand_search.h).
#pragma once

#include "libs/ai/card_search.h"

namespace tarot::ai {

inline constexpr Effort kClub;
// Endings of about 25 ms. The solver sees all hands, so whoever believes it plays as if they were
// going to be seen: harmful while much is hidden. From seven tricks of five players it loses points
// (docs/bench.md).
inline constexpr Effort kStrong{.endgame_budget = 300'000, .endgame_tricks = {0, 0, 0, 7, 7, 0}};

class Sampling final : public Policy {
 public:
  explicit Sampling(const Effort& effort) : effort_(effort) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;

 private:
  const Effort effort_;
};

}  // namespace tarot::ai
