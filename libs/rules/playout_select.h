// Packed hands of a play-out, and any card of one: for playout.cc alone.
#pragma once

#include <array>
#include <bit>

#include "libs/rules/playout_step.h"

namespace tarot::rules::playout {

// For whole tricks the Excuse is bit 0 of both words of a hand, and suits and trumps start at bit
// 1: so a follower's legal cards all lie in one word.
inline constexpr std::uint64_t kExcuseLow = 1;

TAROT_INLINE Words Pack(Words cards) {
  const std::uint64_t excuse = cards[1] >> 21;
  return {cards[0] << 1 | excuse, (cards[1] & kTrumpBits) << 1 | excuse};
}

// The Excuse is in either word, or in both.
TAROT_INLINE Words Unpack(Words packed) {
  const std::uint64_t excuse = (packed[0] | packed[1]) & kExcuseLow;
  return {packed[0] >> 1, packed[1] >> 1 | excuse << 21};
}

// Position of the set bit number n of a byte.
inline constexpr auto kSelectInByte = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::size_t n = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) table[byte][n++] = bit;
    }
  }
  return table;
}();

// How the set bit number `n` (from 0) of a word is found. OrNone: 0 where there is none, for n of
// -24 to 63. OfTrumps: of a hand's second word. OfSuit: of the Excuse, if `excuse` is 1, and
// `cards`, which are of `suit`.
struct PortableSelect {
  TAROT_INLINE static std::uint64_t Bit(std::uint64_t word, int n) { return Find<32>(word, n); }
  TAROT_INLINE static std::uint64_t OrNone(std::uint64_t word, int n) {
    return n < 0 || n >= std::popcount(word) ? 0 : Bit(word, n);
  }
  TAROT_INLINE static std::uint64_t OfTrumps(std::uint64_t word, int n) {
    return Find<16>(word, n);
  }
  TAROT_INLINE static std::uint64_t OfSuit(std::uint64_t cards, std::uint64_t suit,
                                           std::uint64_t excuse, int n) {
    const int shift = std::countr_zero(suit);
    const int rest = n - static_cast<int>(excuse);
    const std::uint64_t bit = Find<8>(cards >> shift, rest < 0 ? 0 : rest) << shift;
    return rest < 0 ? kExcuseLow : bit;
  }

 private:
  // Of a word of at most 2 * kHalf bits, by halves, then a table: a loop over the bits would
  // mispredict its end at nearly every card.
  template <int kHalf>
  TAROT_INLINE static std::uint64_t Find(std::uint64_t word, int n) {
    int base = 0;
    for (int width = kHalf; width >= 8; width /= 2) {
      const int low = std::popcount(word & ((1ull << width) - 1));
      const int up = n >= low ? -1 : 0;
      n -= low & up;
      base += width & up;
      word >>= width & up;
    }
    return 1ull << (base + kSelectInByte[word & 0xFF][static_cast<std::size_t>(n)]);
  }
};

struct Bmi2Select {
  TAROT_INLINE static std::uint64_t Bit(std::uint64_t word, int n) {
    // As text, for the compiler offers the intrinsic only to functions that name the instruction
    // set, and those cannot share the code above.
    std::uint64_t bit = 1ull << n;
    __asm__("pdepq %1, %0, %0" : "+r"(bit) : "r"(word));
    return bit;
  }
  TAROT_INLINE static std::uint64_t OrNone(std::uint64_t word, int n) { return Bit(word, n & 63); }
  TAROT_INLINE static std::uint64_t OfTrumps(std::uint64_t word, int n) { return Bit(word, n); }
  TAROT_INLINE static std::uint64_t OfSuit(std::uint64_t cards, std::uint64_t, std::uint64_t excuse,
                                           int n) {
    return Bit(cards | excuse, n);
  }
};

// A number below `count`, which is at most 32, from the upper half of `random`.
TAROT_INLINE int Lot(std::uint64_t random, int count) {
  return static_cast<int>((random >> 32) * static_cast<std::uint64_t>(count) >> 32);
}

// Card number `n` of a packed hand, in this order: the Excuse, suits, trumps.
template <typename Select>
TAROT_INLINE Words CardOf(Words hand, int n) {
  return {Select::OrNone(hand[0], n),
          Select::OrNone(hand[1] & ~kExcuseLow, n - std::popcount(hand[0]))};
}

}  // namespace tarot::rules::playout
