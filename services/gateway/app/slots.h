// How many streams each player holds open: a bound, so that one client cannot fill the gateway.
#pragma once

#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "libs/base/ids.h"

namespace tarot::gateway {

// Thread-safe.
class StreamSlots {
 public:
  explicit StreamSlots(int per_player_max) : per_player_max_(per_player_max) {}

  // RESOURCE_EXHAUSTED RATE_LIMITED. What was taken must be given back.
  absl::Status Take(const PlayerId& player);
  void GiveBack(const PlayerId& player);

 private:
  const int per_player_max_;
  std::mutex mutex_;
  absl::flat_hash_map<PlayerId, int> open_;  // Only players with one or more.
};

}  // namespace tarot::gateway
