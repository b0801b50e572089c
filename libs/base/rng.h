// A random generator. A seed gives the same sequence in every version and process, which
// absl::BitGen and std::shuffle do not promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tarot {

// The SplitMix64 generator. Do not use it for secrets: the seeds of deals come from Entropy.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Returns a uniform number in [0, bound), without modulo bias. `bound` must be above 0.
  constexpr int Below(int bound) {
    const auto n = static_cast<std::uint64_t>(bound);
    const std::uint64_t reject_from = UINT64_MAX - UINT64_MAX % n;
    std::uint64_t x = Next();
    while (x >= reject_from) x = Next();
    return static_cast<int>(x % n);
  }

  // Shuffles `items`, which must have operator[] and size(). Every order is equally likely.
  template <typename Container>
  constexpr void Shuffle(Container& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(Below(static_cast<int>(i)))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace tarot
