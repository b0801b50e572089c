// The use cases of friends: players ask others to be friends, block others, see where their friends
// are, and report players.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/seen_players.h"

namespace tarot::matchmaking_service {

// The player who makes a call.
struct FriendCaller {
  PlayerId player;
  std::string display_name;
};

struct FriendList {
  std::vector<KnownPlayer> friends;
  std::optional<FriendKey> next;  // The key after which the next page begins.
};

struct ReportList {
  std::vector<PlayerReport> reports;
  std::optional<PlayerReport> next;  // The report after which the next page begins.
};

// Thread-safe. Every method waits for the store. The proto lists the errors of each method.
class FriendService {
 public:
  FriendService(Clock& clock, PlayerStore& store, SeenPlayers& seen, QueueCatalog& catalog)
      : clock_(clock), store_(store), seen_(seen), catalog_(catalog) {}

  // `size` must be positive.
  absl::StatusOr<FriendList> List(const FriendCaller& caller, int size,
                                  const std::optional<FriendKey>& after);
  // Returns kFriend or kRequestSent.
  absl::StatusOr<Relation> Request(const FriendCaller& caller, PlayerId player);
  absl::Status Accept(const FriendCaller& caller, PlayerId player);
  absl::Status Remove(const FriendCaller& caller, PlayerId player);
  absl::Status Block(const FriendCaller& caller, PlayerId player);
  absl::Status Unblock(const FriendCaller& caller, PlayerId player);
  // The caller leaves `reporter` and `report_time` empty.
  absl::Status Report(const FriendCaller& caller, PlayerReport report);

  // `size` must be positive.
  absl::StatusOr<ReportList> ListReports(int size, const std::optional<PlayerReport>& after);

 private:
  // Returns an error if `player` is the caller or a bot.
  absl::Status CheckOther(const FriendCaller& caller, PlayerId player) const;
  absl::Status CheckKnown(PlayerId player);
  absl::StatusOr<FriendOutcome> Ask(const FriendCaller& caller, PlayerId player, bool accepts);

  Clock& clock_;
  PlayerStore& store_;
  SeenPlayers& seen_;
  QueueCatalog& catalog_;
};

}  // namespace tarot::matchmaking_service
