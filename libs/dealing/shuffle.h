// Shuffles the pack so that any player can check the shuffle later. A seed of 64 bytes gives the
// order of the pack. The server shows the seed's commitment before the deal, and the seed after the
// deal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/deck.h"

namespace tarot::dealing {

// Draws unbiased numbers from secret bytes: SHAKE256 expands these bytes into a stream. The same
// bytes must always give the same numbers, because players must still be able to check old deals.
class Draws {
 public:
  explicit Draws(absl::string_view material);

  // Returns a uniform number in [0, bound). Each try takes four bytes of the stream as a number,
  // low byte first. A try fails if its number is too large: at or above the greatest multiple of
  // `bound` that fits into four bytes. `bound` must be at least 1.
  int Below(int bound);

 private:
  void Expand(std::size_t size);

  std::string material_;
  std::string stream_;
  std::size_t at_ = 0;
};

// Returns a uniformly random order of the pack. It is a Fisher-Yates shuffle of OrderedPack(), from
// the last card to the first.
rules::PackOrder Shuffle(Draws& draws);

using DealSeed = std::array<std::uint8_t, 64>;
using Commitment = std::array<std::uint8_t, 32>;

// Returns the shuffle that the seed alone gives. PackOf() (provenance.h) also uses the nonces of
// the players.
rules::PackOrder ShuffledPack(const DealSeed& seed);

// Returns the SHA-256 of the seed.
Commitment Commit(const DealSeed& seed);

}  // namespace tarot::dealing
