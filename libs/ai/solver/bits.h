// Gathering the bits under a mask, and spreading them again: one instruction where the processor
// has it (TAROT_SEARCH_BMI2), else a loop. Included by search_core.h only.
#pragma once

#include <cstdint>

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

#ifdef TAROT_SEARCH_BMI2
inline std::uint64_t Gather(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pext_di(bits, mask);
}
inline std::uint64_t Spread(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pdep_di(bits, mask);
}
#else
inline std::uint64_t Gather(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t gathered = 0;
  for (int at = 0; mask != 0; mask &= mask - 1) {
    gathered |= (bits >> __builtin_ctzll(mask) & 1) << at++;
  }
  return gathered;
}
inline std::uint64_t Spread(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t spread = 0;
  for (; bits != 0; bits >>= 1, mask &= mask - 1) {
    if ((bits & 1) != 0) spread |= mask & (0 - mask);
  }
  return spread;
}
#endif

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
