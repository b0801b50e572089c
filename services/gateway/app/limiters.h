// Limits how often a caller may call, and how many calls may be open at once.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"

namespace tarot::gateway_service {

struct RateLimit {
  double per_second = 0;  // Must be above 0.
  double burst = 0;       // At least 1. After a pause, this number of calls may come at once.
};

// One token bucket for each key, in bounded memory. A key is a player or an address. Thread-safe.
class RateLimiter {
 public:
  // Remembers at most `keys_max` keys. A key is forgotten some time after its bucket is full. While
  // `keys_max` keys are remembered, Take refuses all other keys.
  RateLimiter(RateLimit limit, std::size_t keys_max, Clock& clock);

  // Takes `cost` calls from the bucket of `key`. Returns RESOURCE_EXHAUSTED RATE_LIMITED (metadata:
  // retry_after_seconds) if the bucket has less than one call, or if the limiter refuses the key
  // because it remembers `keys_max` other keys. A refused call takes nothing from the bucket. If
  // the bucket has at least one call but less than `cost`, Take succeeds, and the bucket takes
  // longer to gain its next call.
  absl::Status Take(absl::string_view key, int cost = 1);

  std::size_t key_count() const;

 private:
  void ForgetIdle(absl::Time now);  // Needs mutex_.

  const absl::Duration interval_;  // A bucket gains one call in this time.
  const absl::Duration slack_;     // A bucket is empty if it needs more than this time to be full.
  const std::size_t keys_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  // For each key, the time at which its bucket is full again. A full bucket can be forgotten.
  absl::flat_hash_map<std::string, absl::Time> full_at_;
  absl::Time next_sweep_;
};

struct SlotLimit {
  int per_player = 0;
  int per_address = 0;
  int all = 0;
};

// The caller for whom an open call counts.
struct SlotHolder {
  PlayerId player;
  std::string address;  // The key of the client's address (AddressKey).
};

// Counts open calls. The limit per player keeps one player from filling the gateway. The limit per
// address keeps one client with many guest accounts from filling it. A third limit is for all
// players together. Thread-safe.
class Slots {
 public:
  explicit Slots(SlotLimit limit) : limit_(limit) {}

  // Counts a new call. Returns RESOURCE_EXHAUSTED RATE_LIMITED at the limit of the player or of the
  // address, and UNAVAILABLE OVERLOADED at the limit for all players together. After OK, call
  // Release once.
  absl::Status Acquire(const SlotHolder& holder);
  void Release(const SlotHolder& holder);

 private:
  const SlotLimit limit_;
  std::mutex mutex_;
  int all_ = 0;
  // The number of open calls of each player and of each address with at least one.
  absl::flat_hash_map<PlayerId, int> of_players_;
  absl::flat_hash_map<std::string, int> of_addresses_;
};

}  // namespace tarot::gateway_service
