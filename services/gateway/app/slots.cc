#include "services/gateway/app/slots.h"

#include "libs/base/error.h"
#include "services/gateway/app/rate_limited.h"

namespace tarot::gateway {

absl::Status Slots::Take(const PlayerId& player) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(player);
  if (found != open_.end() && found->second >= limit_.per_player) {
    return RateLimited(absl::Seconds(1));
  }
  if (all_ >= limit_.all) {
    return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
  }
  ++all_;
  ++open_[player];
  return absl::OkStatus();
}

void Slots::GiveBack(const PlayerId& player) {
  const std::lock_guard lock(mutex_);
  --all_;
  const auto found = open_.find(player);
  if (--found->second == 0) open_.erase(found);
}

}  // namespace tarot::gateway
