// SeenPlayers stores when each player was last online. The service uses this time to show
// friends who are online, and to know which players exist.
#pragma once

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/player_store.h"

namespace tarot::matchmaking_service {

// Thread-safe.
class SeenPlayers {
 public:
  SeenPlayers(Clock& clock, PlayerStore& store) : clock_(clock), store_(store) {}

  // Stores the time and the name of a player, at most once in kSeenEvery. Waits for the store if it
  // must write.
  absl::Status See(PlayerId player, const std::string& display_name);
  // Stores that these known players are online, because they still have an open stream. Waits for
  // the store.
  absl::Status SeeAgain(absl::Span<const PlayerId> players);

 private:
  Clock& clock_;
  PlayerStore& store_;
  std::mutex mutex_;
  absl::flat_hash_map<PlayerId, absl::Time> seen_;  // When this object last stored the player.
};

}  // namespace tarot::matchmaking_service
