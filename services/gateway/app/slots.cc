#include "services/gateway/app/stream_slots.h"

#include "services/gateway/app/rate_limited.h"

namespace tarot::gateway {

absl::Status StreamSlots::Take(const PlayerId& player) {
  const std::lock_guard lock(mutex_);
  int& open = open_[player];
  if (open >= per_player_max_) return RateLimited(absl::Seconds(1));
  ++open;
  return absl::OkStatus();
}

void StreamSlots::GiveBack(const PlayerId& player) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(player);
  if (--found->second == 0) open_.erase(found);
}

}  // namespace tarot::gateway
