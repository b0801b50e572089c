#include "services/matchmaking/app/seen_players.h"

#include "libs/base/error.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

absl::Status SeenPlayers::See(PlayerId player, const std::string& display_name) {
  const absl::Time now = clock_.Now();
  {
    const std::lock_guard lock(mutex_);
    const auto last = seen_.find(player);
    if (last != seen_.end() && now - last->second < kSeenEvery) return absl::OkStatus();
  }
  TAROT_RETURN_IF_ERROR(store_.See(player, display_name, now));
  const std::lock_guard lock(mutex_);
  if (seen_.size() >= kPlayersSeenMax) seen_.clear();
  seen_[player] = now;
  return absl::OkStatus();
}

absl::Status SeenPlayers::SeeAgain(absl::Span<const PlayerId> players) {
  if (players.empty()) return absl::OkStatus();
  return store_.SeeAgain(players, clock_.Now());
}

}  // namespace tarot::matchmaking_service
