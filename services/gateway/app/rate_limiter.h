// Token buckets by key (a player, an address), in bounded memory.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"

namespace tarot::gateway {

struct RateLimit {
  double per_second = 0;  // > 0
  double burst = 0;       // >= 1: how many at once after a pause.
};

// Thread-safe.
class RateLimiter {
 public:
  // Remembers at most `keys_max` keys that are not at rest; further ones are refused.
  RateLimiter(RateLimit limit, std::size_t keys_max, Clock& clock);

  // RESOURCE_EXHAUSTED RATE_LIMITED (metadata: retry_after_seconds). A refusal costs nothing.
  absl::Status Take(absl::string_view key);

  std::size_t key_count() const;

 private:
  void ForgetIdle(absl::Time now);  // Needs mutex_.

  const absl::Duration interval_;  // Between takes, in the long run.
  const absl::Duration slack_;     // How far ahead of the interval a burst may run.
  const std::size_t keys_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  // The time at which each bucket is full again; one that is full is as good as unknown.
  absl::flat_hash_map<std::string, absl::Time> full_at_;
  absl::Time next_sweep_;
};

}  // namespace tarot::gateway
