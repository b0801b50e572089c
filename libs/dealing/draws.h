// Unbiased numbers from secret bytes, the same for ever: SHAKE256 expands them into a stream.
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

  // Uniform in [0, bound): four bytes of the stream a try, the low one first; a try at or above the
  // greatest multiple of `bound` that they can hold is thrown away. `bound` is at least 1.
  int Below(int bound);

 private:
  void Expand(std::size_t size);

  std::string material_;
  std::string stream_;
  std::size_t at_ = 0;
};

// Every order of the pack equally likely: Fisher-Yates from the last card down, on the cards in the
// order of their numbers.
rules::PackOrder Shuffle(Draws& draws);

}  // namespace tarot::dealing
