// What a proof must know of the order of the trumps: which of them beat which.
#pragma once

#include <array>
#include <cstdint>

namespace tarot::ai {

// For each trump (0 the Petit, 20 the 21) lower ones of other hands that it must beat: a proof
// holds wherever all these pairs stand in the same order. Row x has x bits and shares a word with
// row 21 - x.
class TrumpPairs {
 public:
  std::uint32_t Below(int trump) const {
    return words_[Word(trump)] >> Shift(trump) & ((1u << trump) - 1);
  }
  // `lower`: trumps below this one.
  void Add(int trump, std::uint32_t lower) { words_[Word(trump)] |= lower << Shift(trump); }
  void operator|=(const TrumpPairs& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
  }

 private:
  static constexpr std::size_t Word(int trump) {
    return static_cast<std::size_t>(trump <= 10 ? trump : 21 - trump);
  }
  static constexpr int Shift(int trump) { return trump <= 10 ? 0 : 21 - trump; }

  alignas(16) std::array<std::uint32_t, 12> words_{};  // A multiple of 16 bytes: fast to join.
};

// The same by hand instead of rank: the trumps of the first hand are numbered from 0, lowest first,
// those of the second hand follow, and so on. Three rows of 21 bits in each word.
using TrumpRows = std::array<std::uint64_t, 7>;

}  // namespace tarot::ai
