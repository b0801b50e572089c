// How many calls are open at once: a bound a player, so that one cannot fill the gateway, and one
// for all of them together.
#pragma once

#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "libs/base/ids.h"

namespace tarot::gateway {

struct SlotLimit {
  int per_player = 0;
  int all = 0;
};

// Thread-safe.
class Slots {
 public:
  explicit Slots(SlotLimit limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED RATE_LIMITED when the player has as many as one may; UNAVAILABLE OVERLOADED
  // when all together have. What was taken must be given back.
  absl::Status Take(const PlayerId& player);
  void GiveBack(const PlayerId& player);

 private:
  const SlotLimit limit_;
  std::mutex mutex_;
  int all_ = 0;
  absl::flat_hash_map<PlayerId, int> open_;  // Only players with one or more.
};

}  // namespace tarot::gateway
