// The words of a play-out: suits, then trumps from the Petit up and the Excuse.
#pragma once

#include <cstdint>

#include "libs/rules/cards.h"

namespace tarot::rules {

inline constexpr std::uint64_t kTrumpBits = (1ull << kTrumpCount) - 1;
inline constexpr std::uint64_t kExcuseBit = 1ull << 21;
inline constexpr std::uint64_t kPetitBit = 1;

}  // namespace tarot::rules
