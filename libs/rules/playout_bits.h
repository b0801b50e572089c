// The bits of a play-out's second word: trumps from the Petit up, then the Excuse.
#pragma once

#include <cstdint>

#include "libs/rules/cards.h"

namespace tarot::rules {

inline constexpr std::uint64_t kTrumpBits = (1ull << kTrumpCount) - 1;
inline constexpr std::uint64_t kExcuseBit = 1ull << 21;
inline constexpr std::uint64_t kPetitBit = 1;

}  // namespace tarot::rules
