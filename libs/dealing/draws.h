// Draws unbiased numbers from secret bytes: SHAKE256 expands the bytes into a stream. This method
// never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/deck.h"

namespace tarot::dealing {

class Draws {
 public:
  explicit Draws(absl::string_view material);

  // Returns a uniform number in [0, bound). Each try takes four bytes of the stream, low byte
  // first. A try fails if its number is at or above the greatest multiple of `bound` that fits into
  // four bytes. `bound` must be at least 1.
  int Below(int bound);

 private:
  void Expand(std::size_t size);

  std::string material_;
  std::string stream_;
  std::size_t at_ = 0;
};

// Returns a uniformly random order of the pack: a Fisher-Yates shuffle from the last card down, on
// the cards in the order of their numbers.
rules::PackOrder Shuffle(Draws& draws);

}  // namespace tarot::dealing
