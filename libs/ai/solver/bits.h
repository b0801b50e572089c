// Gathering the bits under a mask, spreading them again, and the places (bit by index) of a number
// among 32, aligned to 16 bytes: a few instructions where the processor has them
// (TAROT_SEARCH_BMI2), else a loop. Included by search_core.h only.
#pragma once

#include <array>
#include <cstdint>

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

#ifdef TAROT_SEARCH_BMI2
inline std::uint64_t Gather(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pext_di(bits, mask);
}
inline std::uint64_t Spread(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pdep_di(bits, mask);
}
inline std::uint32_t Places(const std::array<std::uint16_t, 32>& numbers, std::uint16_t wanted) {
  using Eight = short __attribute__((vector_size(16), may_alias));
  using Bytes = char __attribute__((vector_size(16)));
  const auto* eights = reinterpret_cast<const Eight*>(numbers.data());
  const auto sixteen = [&](int i) {
    const auto low = eights[i] == static_cast<short>(wanted);
    const auto high = eights[i + 1] == static_cast<short>(wanted);
    const Bytes packed = __builtin_ia32_packsswb128(low, high);
    return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(packed));
  };
  return sixteen(0) | sixteen(2) << 16;
}
#else
inline std::uint32_t Places(const std::array<std::uint16_t, 32>& numbers, std::uint16_t wanted) {
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < 32; ++i) places |= (numbers[i] == wanted ? 1u : 0u) << i;
  return places;
}
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
