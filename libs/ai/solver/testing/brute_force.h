// Proves the solver: compares its answers on small random endings with brute force. Brute force
// plays every line through rules::Deal and shares no code with the search.
#pragma once

#include <cstdint>
#include <string>

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// Returns the value of `objective` when both camps play the rest of `deal`, which is in play, at
// their best.
int BruteForceValue(const rules::Deal& deal, const Objective& objective);

// Returns "" if the solver is right on `count` random endings. Otherwise describes the first ending
// on which it is wrong. The check covers the value, null windows on both sides of it, every card,
// and the answers under a node cap.
std::string FirstWrongAnswer(long count, std::uint64_t seed);

// Returns "" if, on `count` random endings of five tricks, the solver's value is the best of the
// values after each card, each found by a new solver. Otherwise describes the first ending where it
// is not. Five tricks are too many for brute force. But shorter endings do not show whether a proof
// found in one position is right in another.
std::string FirstInconsistency(long count, std::uint64_t seed);

}  // namespace tarot::ai
