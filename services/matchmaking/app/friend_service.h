// Declares the use cases of friends. A player can ask another player to be a friend, block or
// report another player, and see where friends are.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/base/slots.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/seen_players.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

struct FriendCaller {
  PlayerId player;
  std::string display_name;
};

struct FriendList {
  std::vector<KnownPlayer> friends;
  std::optional<FriendKey> next;  // The last key of this page. The next page begins after this key.
};

struct ReportList {
  std::vector<PlayerReport> reports;
  // The last report of this page. The next page begins after this report.
  std::optional<PlayerReport> next;
};

// Thread-safe. Every method waits for the store. FriendService in the proto lists the errors of
// each method.
class FriendService {
 public:
  FriendService(Clock& clock, PlayerStore& store, SeenPlayers& seen, QueueCatalog& catalog,
                DealCounter& deals)
      : clock_(clock), store_(store), seen_(seen), catalog_(catalog), deals_(deals) {}

  // `size` must be positive.
  absl::StatusOr<FriendList> List(const FriendCaller& caller, int size,
                                  const std::optional<FriendKey>& after);
  // Returns kFriend or kRequestSent.
  absl::StatusOr<Relation> Request(const FriendCaller& caller, PlayerId player);
  absl::Status Accept(const FriendCaller& caller, PlayerId player);
  absl::Status Remove(const FriendCaller& caller, PlayerId player);
  absl::Status Block(const FriendCaller& caller, PlayerId player);
  absl::Status Unblock(const FriendCaller& caller, PlayerId player);
  // Stores a report. The caller of this function leaves `reporter` and `report_time` empty. The
  // function also waits for the rules service, which knows the number of deals at the table.
  absl::Status Report(const FriendCaller& caller, PlayerReport report);

  // `size` must be positive.
  absl::StatusOr<ReportList> ListReports(int size, const std::optional<PlayerReport>& after);

  // Stores that these players are online, because a gateway reports them as active.
  absl::Status MarkOnline(absl::Span<const PlayerId> players) { return seen_.SeeAgain(players); }

  // Returns all that matchmaking stores about the player, as a JSON object.
  absl::StatusOr<std::string> Export(PlayerId player) { return store_.ExportPlayer(player); }
  // Forgets the player. The player must not sit in a room. If the player has a table whose match is
  // not over, returns FAILED_PRECONDITION PLAYER_BUSY.
  absl::Status Delete(PlayerId player);

 private:
  // Returns an error if `player` is the caller or a bot.
  absl::Status CheckOther(const FriendCaller& caller, PlayerId player) const;
  absl::Status CheckKnown(PlayerId player);
  absl::StatusOr<FriendOutcome> Ask(const FriendCaller& caller, PlayerId player, bool accepts);
  // Runs `change`, a method of the store that locks the caller and `player` in the database. If too
  // many such changes run already, does not run `change` and returns UNAVAILABLE OVERLOADED.
  template <typename Change>
  auto ChangePair(PlayerId caller, PlayerId player, const Change& change) -> decltype(change());

  Clock& clock_;
  PlayerStore& store_;
  SeenPlayers& seen_;
  QueueCatalog& catalog_;
  DealCounter& deals_;
  // Counts the changes of relations that run now. The class Slots counts for each player and for
  // each address. Here, the caller is used as the player, and the other player as the address.
  Slots pair_slots_{{.per_player = kPairChangesPerPlayerMax,
                     .per_address = kPairChangesPerPlayerMax,
                     .all = kPairChangesMax}};
};

}  // namespace tarot::matchmaking_service
