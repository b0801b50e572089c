// Limits how often a caller may call.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/slots.h"

namespace tarot::gateway_service {

struct RateLimit {
  double per_second = 0;  // Must be above 0.
  double burst = 0;       // The number of calls that may come at once after a pause. At least 1.
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

  // Gives one call back to the bucket of `key`, after Take has taken it from there.
  void GiveBack(absl::string_view key);

  std::size_t key_count() const;

 private:
  void ForgetIdle(absl::Time now);  // Needs mutex_.

  const absl::Duration interval_;  // A bucket gains one call in this time.
  // The time in which a bucket with one call left becomes full. If a bucket needs more time than
  // this, it has less than one call left.
  const absl::Duration slack_;
  const std::size_t keys_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  // For each key, the time at which its bucket is full again. A full bucket can be forgotten.
  absl::flat_hash_map<std::string, absl::Time> full_at_;
  absl::Time next_sweep_;
};

// Takes a slot for a call. Returns RESOURCE_EXHAUSTED RATE_LIMITED if the player, the address or
// the network of the holder has no free slot, and UNAVAILABLE OVERLOADED if all players together
// have none.
absl::Status AcquireSlot(Slots& slots, const SlotHolder& holder);

}  // namespace tarot::gateway_service
