// The solver against brute force, on small endings without end.
#pragma once

#include <cstdint>
#include <string>

namespace tarot::ai {

// Empty when the solver is right on `count` random endings: value, null windows on both sides of
// it, every card, and what it says under a node cap. Otherwise the first ending where it is not.
std::string FirstFault(long count, std::uint64_t seed);

// Empty when on `count` random endings of five tricks, too many for brute force, the solver's value
// is the best of those behind each card, every one found by a solver that knows nothing else. What
// one position's proof is worth in another shows here, not in shorter endings.
std::string FirstMisfit(long count, std::uint64_t seed);

}  // namespace tarot::ai
