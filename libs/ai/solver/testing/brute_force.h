// Checks the solver: compares its answers on small random endings with brute force. Brute force
// plays every possible order of cards through rules::Deal, and shares no code with the search.
#pragma once

#include <cstdint>
#include <string>

#include "libs/ai/solver/solver.h"

namespace tarot::ai {

// Returns the value of `deal` for `objective` if both camps play their best from now on. The deal
// must be in play.
int BruteForceValue(const rules::Deal& deal, const Objective& objective);

// Checks the solver on `count` random endings. Returns "" if all answers are right. If not,
// describes the first ending with a wrong answer. The check covers the value of every ending. For
// some endings, it also covers one more answer: AtLeast() for the value and the value plus 1,
// EveryCard(), or the bounds under a node cap.
std::string FirstWrongAnswer(long count, std::uint64_t seed);

// Checks whether the solver agrees with itself on `count` random endings of five tricks. The value
// of an ending must be the best of the values after each legal card. A new solver computes each of
// these values. Returns "" if the solver agrees with itself on all endings. If not, describes the
// first wrong ending.
std::string FirstInconsistency(long count, std::uint64_t seed);

}  // namespace tarot::ai
