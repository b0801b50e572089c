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
  // Remembers at most `keys_max` keys. Forgets a key some time after its bucket is full. While it
  // remembers `keys_max` keys, Take() refuses all other keys.
  RateLimiter(RateLimit limit, std::size_t keys_max, Clock& clock);

  // Takes `cost` calls from the bucket of `key`. If the bucket has at least one call but less than
  // `cost`, Take() also succeeds; the bucket then needs more time until it has a call again.
  // Returns RESOURCE_EXHAUSTED RATE_LIMITED (metadata: retry_after_seconds) in two cases: the
  // bucket has less than one call, or the limiter remembers `keys_max` other keys. In both cases
  // Take() takes nothing from the bucket.
  absl::Status Take(absl::string_view key, int cost = 1);

  // Gives one call back that Take() took from the bucket of `key`.
  void GiveBack(absl::string_view key);

  // Replaces the limit. A bucket keeps the number of calls that are missing in it, but at most
  // `limit.burst`.
  void SetLimit(RateLimit limit);

  std::size_t key_count() const;

 private:
  void ForgetIdle(absl::Time now);  // Needs mutex_.

  const std::size_t keys_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  absl::Duration interval_;  // The time in which a bucket gains one call.
  // A bucket that becomes full within this time has at least one call left.
  absl::Duration slack_;
  // The time at which the bucket of each key is full again. The key of a full bucket can be
  // forgotten.
  absl::flat_hash_map<std::string, absl::Time> full_at_;
  absl::Time next_sweep_;
};

// Takes a slot for a call. Returns RESOURCE_EXHAUSTED RATE_LIMITED if the player, the address or
// the network of the holder has no free slot, and UNAVAILABLE OVERLOADED if all players together
// have none.
absl::Status AcquireSlot(Slots& slots, const SlotHolder& holder);

}  // namespace tarot::gateway_service
