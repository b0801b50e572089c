// Defines a source of unpredictable bytes for deal seeds, ids and keys. rpc::RunService() gives
// services the real source; tests use a seeded source.
#pragma once

#include <array>
#include <cstdint>

#include "absl/time/time.h"
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
  // Returns a UUID that begins with the milliseconds of `now` (version 7 of RFC 9562); the other 74
  // bits are random. An id of a later millisecond is greater. Ids of the same millisecond have no
  // order.
  Uuid NewTimeOrderedUuid(absl::Time now);
  std::uint64_t NewSeed();
};

// Returns a lower bound of the ids that NewTimeOrderedUuid() makes at `time` or later. Ids that
// were made before the millisecond of `time` are less than this bound.
Uuid FirstTimeOrderedUuid(absl::Time time);

// Returns the time with which an id of NewTimeOrderedUuid() begins.
absl::Time TimeOfUuid(const Uuid& id);

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
