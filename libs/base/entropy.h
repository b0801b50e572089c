// A source of unpredictable bytes for deal seeds, ids and keys. rpc::RunService() gives services
// the real source; tests use a seeded one.
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "libs/base/ids.h"
#include "libs/base/rng.h"

namespace tarot {

class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills `out` with unpredictable bytes. Thread-safe.
  virtual void Fill(absl::Span<std::uint8_t> out) = 0;

  // Returns a random (version 4) UUID.
  Uuid NewUuid();
  std::uint64_t NewSeed();
};

// Reads the operating system's random numbers with getrandom(2).
class OsEntropy final : public Entropy {
 public:
  void Fill(absl::Span<std::uint8_t> out) override;
};

// An Entropy for tests and simulation: the same seed gives the same bytes. Not thread-safe.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : rng_(seed) {}
  void Fill(absl::Span<std::uint8_t> out) override;

 private:
  Rng rng_;
};

}  // namespace tarot
