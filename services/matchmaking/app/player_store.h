// Declares the players whom this service knows, their friends and blocks, and the reports of
// players. PlayerStore is the interface of the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/room.h"

namespace tarot::matchmaking_service {

// The relation of one player to another. A list of friends is sorted by the order of these values.
enum class Relation { kFriend = 1, kRequestReceived = 2, kRequestSent = 3, kBlocked = 4 };

enum class Activity { kOffline, kOnline, kInRoom, kWaiting, kPlaying };

// Where a friend is.
struct Presence {
  Activity activity = Activity::kOffline;
  TableId table;  // Set if `activity` is kPlaying.
  // The friend's room. Set only if the reader of the list sits in this room, or may join it by its
  // name.
  RoomId room;

  friend bool operator==(const Presence&, const Presence&) = default;
};

struct KnownPlayer {
  PlayerId player;
  std::string display_name;  // Empty if the service does not know the player's name.
  Relation relation = Relation::kFriend;
  Presence presence;  // Set only for a friend.

  friend bool operator==(const KnownPlayer&, const KnownPlayer&) = default;
};

// The key of a player in a list of friends.
struct FriendKey {
  Relation relation = Relation::kFriend;
  PlayerId player;
};

struct FriendPage {
  PlayerId player;  // The reader of the list.
  int size = 0;
  std::optional<FriendKey> after;
  absl::Time online_since;  // A player who was seen after this time is online.
};

enum class FriendOutcome {
  kFriends,
  kRequested,
  kNoRequest,  // `accepts` was true, but the other player has not asked `player` before.
  kBlocked,    // One of the two players blocks the other player.
  kFull,       // One of the two players already has the maximum number of friends and requests.
};

enum class ReportReason { kHelpsAnotherSeat, kLosesOnPurpose, kDelaysTheGame, kOffensiveName };

struct PlayerReport {
  PlayerId reporter;
  PlayerId player;
  TableId table;
  int deal_number = 1;  // Counted from 1.
  ReportReason reason = ReportReason::kHelpsAnotherSeat;
  absl::Time report_time;

  friend bool operator==(const PlayerReport&, const PlayerReport&) = default;
};

enum class ReportOutcome {
  kStored,
  // The reporter has already reported this player at this table. The stored report now has the new
  // deal and the new reason, but keeps its old time.
  kRepeated,
  // The reporter had no seat at the table, or the table is older than kReportedTableMax.
  kNoTable,
  kNotAtTable,  // The reported player had no seat at the table.
  kBot,         // The reported player is a bot.
  kFull,        // The reporter has already made kReportsPerDayMax reports within a day.
};

// The name that replaces the name of each player whom an operator has deleted.
inline constexpr char kDeletedName[] = "Deleted player";

struct ReportPage {
  int size = 0;
  std::optional<PlayerReport> after;  // The report after which the page begins.
};

// The store of players. Any thread may call it. Every method may block. If a method returns
// UNAVAILABLE STORAGE_AWAY, it is unknown whether its change was made. Each method is one atomic
// step, except ForgetPlayers. All implementations pass one contract test,
// services/matchmaking/testing/player_store_contract.h.
class PlayerStore {
 public:
  virtual ~PlayerStore() = default;

  // Stores that the player uses this service at `now`, and the player's present name.
  virtual absl::Status See(PlayerId player, const std::string& display_name, absl::Time now) = 0;
  // Stores that these players still use this service at `now`. The store must know the players
  // already, and keeps their names.
  virtual absl::Status SeeAgain(absl::Span<const PlayerId> players, absl::Time now) = 0;
  // Returns true if the store knows the player: the player has used rooms, queues or friends, and
  // is not forgotten.
  virtual absl::StatusOr<bool> HasSeen(PlayerId player) = 0;
  // Forgets players who were last seen before `unused_since`, with their friends, requests and
  // blocks. Also forgets the reports that are older than `report_before`. Forgets at most
  // kPlayersForgottenMax players and as many reports.
  virtual absl::Status ForgetPlayers(absl::Time unused_since, absl::Time report_before) = 0;

  // Forgets players who were last seen at `seen_from` or later, but before `seen_until`. Keeps a
  // player who has a friend, a request or a block, sits in a room, or has had a table of a queue.
  // Forgets at most kGuestsForgottenMax players, and returns their number.
  virtual absl::StatusOr<int> ForgetGuests(absl::Time seen_from, absl::Time seen_until) = 0;
  // Forgets at most kGuestsForgottenMax cancelled tickets that were created before `created_until`.
  virtual absl::Status ForgetTickets(absl::Time created_until) = 0;
  // Forgets tables that were placed before `placed_until` and whose match is over, with their seats
  // and their closed tickets. Keeps the tables of the present match and of the last match of each
  // room. Forgets at most kMatchesForgottenMax tables.
  virtual absl::Status ForgetMatches(absl::Time placed_until) = 0;

  // Stores that `player` asks `other` to be a friend. If `other` has asked `player` before, the two
  // become friends. If `accepts` is true and `other` has not asked `player` before, stores nothing
  // and returns kNoRequest.
  virtual absl::StatusOr<FriendOutcome> AskFriend(PlayerId player, PlayerId other, bool accepts,
                                                  absl::Time now) = 0;
  // Ends a friendship, and the requests between the two players.
  virtual absl::Status RemoveFriend(PlayerId player, PlayerId other) = 0;
  // Stores the block. Ends a friendship, requests and invitations to rooms between the two players.
  // If `player` already blocks kBlocksMax players other than `other`, changes nothing and returns
  // false.
  virtual absl::StatusOr<bool> Block(PlayerId player, PlayerId other, absl::Time now) = 0;
  virtual absl::Status Unblock(PlayerId player, PlayerId other) = 0;
  // Returns the players with a relation to `page.player`, sorted by relation and then by id.
  virtual absl::StatusOr<std::vector<KnownPlayer>> ListFriends(const FriendPage& page) = 0;
  // Returns true if a player of `some` blocks a player of `others`, or the other way round.
  virtual absl::StatusOr<bool> HasBlock(absl::Span<const PlayerId> some,
                                        absl::Span<const PlayerId> others) = 0;

  virtual absl::StatusOr<ReportOutcome> Report(const PlayerReport& report) = 0;
  // Returns reports, newest first.
  virtual absl::StatusOr<std::vector<PlayerReport>> ListReports(const ReportPage& page) = 0;

  // Returns all data that the store has about the player, as a JSON object.
  virtual absl::StatusOr<std::string> ExportPlayer(PlayerId player) = 0;
  // Forgets the player: the name, friends, requests, blocks, reports, standing and tickets. In the
  // seats of tables and rooms, replaces the name by kDeletedName. If the player has a ticket whose
  // table is not over, changes nothing and returns this table. If not, returns an empty id.
  virtual absl::StatusOr<TableId> DeletePlayer(PlayerId player) = 0;
};

}  // namespace tarot::matchmaking_service
