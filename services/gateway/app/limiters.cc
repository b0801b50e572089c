#include "services/gateway/app/limiters.h"

#include <algorithm>

#include "libs/base/check.h"
#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {

RateLimiter::RateLimiter(RateLimit limit, std::size_t keys_max, Clock& clock)
    : interval_(absl::Seconds(1 / limit.per_second)),
      slack_(interval_ * (limit.burst - 1)),
      keys_max_(keys_max),
      clock_(clock),
      next_sweep_(absl::InfinitePast()) {
  TAROT_CHECK(limit.per_second > 0 && limit.burst >= 1);
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

std::size_t RateLimiter::key_count() const {
  const std::lock_guard lock(mutex_);
  return full_at_.size();
}

// Forgets the full buckets, at most once in the time that an empty bucket needs to fill. So it
// visits each key only a few times.
void RateLimiter::ForgetIdle(absl::Time now) {
  if (now < next_sweep_) return;
  next_sweep_ = now + slack_ + interval_;
  absl::erase_if(full_at_, [now](const auto& entry) { return entry.second <= now; });
}

absl::Status Slots::Acquire(const SlotHolder& holder) {
  const auto full = [](const auto& open, const auto& key, int limit) {
    const auto found = open.find(key);
    return found != open.end() && found->second >= limit;
  };
  const std::lock_guard lock(mutex_);
  if (full(of_players_, holder.player, limit_.per_player) ||
      full(of_addresses_, holder.address, limit_.per_address)) {
    return RateLimited(absl::Seconds(1));
  }
  if (all_ >= limit_.all) return Overloaded();
  ++all_;
  ++of_players_[holder.player];
  ++of_addresses_[holder.address];
  return absl::OkStatus();
}

void Slots::Release(const SlotHolder& holder) {
  const auto release = [](auto& open, const auto& key) {
    const auto found = open.find(key);
    if (--found->second == 0) open.erase(found);
  };
  const std::lock_guard lock(mutex_);
  --all_;
  release(of_players_, holder.player);
  release(of_addresses_, holder.address);
}

}  // namespace tarot::gateway_service
