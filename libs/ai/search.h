// Level `club`: deals the unseen cards in many ways that fit what it knows, plays each out by rules
// of thumb, and does what was best on average in points of the game.
#pragma once

#include "libs/ai/policy.h"

namespace tarot::ai {

class Club final : public Policy {
 public:
  // What a decision may cost when the caller does not say: about 5 ms.
  static constexpr std::uint64_t kNodeBudget = 80'000;

  Decision Choose(const rules::View& view, Rng rng, std::uint64_t node_budget) const override;
};

}  // namespace tarot::ai
