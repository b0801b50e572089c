#include "services/gateway/app/limiters.h"

#include <algorithm>

#include "libs/base/check.h"
#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {

RateLimiter::RateLimiter(RateLimit limit, std::size_t keys_max, Clock& clock)
    : keys_max_(keys_max), clock_(clock), next_sweep_(absl::InfinitePast()) {
  SetLimit(limit);
}

absl::Status RateLimiter::Take(absl::string_view key, int cost) {
  const absl::Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  auto found = full_at_.find(key);
  if (found == full_at_.end()) {
    ForgetIdle(now);
    if (full_at_.size() >= keys_max_) return RateLimited(interval_);
    found = full_at_.emplace(std::string(key), now).first;
  }
  const absl::Time full_at = std::max(found->second, now);
  if (full_at - now > slack_) return RateLimited(full_at - now - slack_);
  found->second = full_at + cost * interval_;
  return absl::OkStatus();
}

void RateLimiter::GiveBack(absl::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = full_at_.find(key);
  if (found != full_at_.end()) found->second -= interval_;
}

void RateLimiter::SetLimit(RateLimit limit) {
  TAROT_CHECK(limit.per_second > 0 && limit.burst >= 1);
  const absl::Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  const absl::Duration interval = absl::Seconds(1 / limit.per_second);
  for (auto& [key, full_at] : full_at_) {
    if (full_at <= now) continue;
    const double missing = absl::FDivDuration(full_at - now, interval_);
    full_at = now + std::min(missing, limit.burst) * interval;
  }
  interval_ = interval;
  slack_ = interval * (limit.burst - 1);
  next_sweep_ = absl::InfinitePast();
}

std::size_t RateLimiter::key_count() const {
  const std::lock_guard lock(mutex_);
  return full_at_.size();
}

// Forgets the keys with full buckets. The loop over all keys costs little per call, because it runs
// only once in the time in which an empty bucket becomes full.
void RateLimiter::ForgetIdle(absl::Time now) {
  if (now < next_sweep_) return;
  next_sweep_ = now + slack_ + interval_;
  absl::erase_if(full_at_, [now](const auto& entry) { return entry.second <= now; });
}

absl::Status AcquireSlot(Slots& slots, const SlotHolder& holder) {
  switch (slots.Acquire(holder)) {
    case SlotAnswer::kTaken:
      return absl::OkStatus();
    case SlotAnswer::kPlayerFull:
    case SlotAnswer::kAddressFull:
      return RateLimited(absl::Seconds(1));
    case SlotAnswer::kAllFull:
      break;
  }
  return Overloaded();
}

}  // namespace tarot::gateway_service
