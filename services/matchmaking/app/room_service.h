// Declares the use cases of rooms: players make, list, join and leave rooms, invite other players,
// add bots, and start matches. RoomStore is the interface of the store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/app/seen_players.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/watchers.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

struct CreatedRoom {
  enum class Outcome {
    kCreated,
    kReplayed,   // An earlier copy of this request has already made `room`.
    kInRoom,     // The player already sits in another room, `room`.
    kCodeTaken,  // Another room has this code.
  };
  Outcome outcome = Outcome::kCreated;
  Room room;
};

enum class RoomChange {
  kDone,
  kStale,   // The room has another revision now, or it has ended.
  kInRoom,  // The change gives a seat to a person who already sits in another room.
};

struct RoomStart {
  enum class Outcome {
    kStarted,
    kRepeated,  // The request has already started a match of this room.
    kStale,     // The room has another revision now, or it has ended.
    // The room still has this revision, but one of its persons cannot play now. This person,
    // `busy`, has a live ticket or sits at a running table of a room.
    kBusy,
  };
  Outcome outcome = Outcome::kStarted;
  PlayerId busy;
};

// The key of a room in a list.
struct RoomKey {
  absl::Time create_time;
  RoomId room;
};

struct RoomPage {
  enum class Filter {
    // The open rooms with a free seat. Leaves out a room if one of its persons and `player` have a
    // block between them.
    kOpenSeats,
    kInvited,  // Rooms that have invited `player`.
    kMine,     // The room where `player` sits.
  };
  Filter filter = Filter::kOpenSeats;
  PlayerId player;
  int size = 0;
  std::optional<RoomKey> after;
};

// The store of rooms. Any thread may call it. Every method may block. If a method returns
// UNAVAILABLE STORAGE_AWAY, it is unknown whether its change was made. Each method is one atomic
// step, except SweepRooms, so any number of replicas may share a store. All implementations pass
// one contract test, services/matchmaking/testing/room_store_contract.h.
class RoomStore {
 public:
  virtual ~RoomStore() = default;

  // Stores a new room with revision 0. The person who makes the room sits in seat 0. Seat 0 also
  // has this person's request. Forgets the ended rooms that this person made before.
  virtual absl::StatusOr<CreatedRoom> CreateRoom(const Room& room) = 0;
  // Returns the rooms with these ids, in any order. Leaves out rooms that do not exist. A room that
  // has ended still exists until CreateRoom or SweepRooms forgets it.
  virtual absl::StatusOr<std::vector<Room>> GetRooms(absl::Span<const RoomId> ids) = 0;
  // Returns the room that has this code and has not ended.
  virtual absl::StatusOr<std::optional<Room>> FindRoom(const std::string& code) = 0;
  // Returns rooms that have not ended, newest first.
  virtual absl::StatusOr<std::vector<Room>> ListRooms(const RoomPage& page) = 0;

  // If the stored revision is still `room.revision`, stores the changed room and adds 1 to its
  // revision. The changed parts are the seats, the host, the invited players, the removed players,
  // and whether the room has ended.
  virtual absl::StatusOr<RoomChange> ChangeRoom(const Room& room, absl::Time now) = 0;
  // If the stored revision is still `room.revision`, stores `table` and the start of the room's
  // match, and adds 1 to the revision. TicketStore::ListPlaced returns the table until the answer
  // of the rules service is stored.
  virtual absl::StatusOr<RoomStart> StartMatch(const Room& room, const PlannedTable& table) = 0;

  // Marks the rooms `ids` as used at `now`. If a room has ended, does not mark it.
  virtual absl::Status TouchRooms(absl::Span<const RoomId> ids, absl::Time now) = 0;
  // Does the steps below, and returns the number of rooms that have not ended. If the method
  // returns an error, some of the steps may be done.
  // - Marks two kinds of rooms as used at `now`: rooms whose match runs, and rooms whose party
  //   waits in a queue or plays.
  // - Ends at most kRoomsSweptMax rooms that were last used before `unused_since`.
  // - Forgets at most kRoomsSweptMax rooms that ended before `forget_before`.
  // - Forgets at most kRoomsSweptMax refused tables that are older than `forget_before` and belong
  //   to a queue or to a forgotten room.
  virtual absl::StatusOr<int> SweepRooms(absl::Time now, absl::Time unused_since,
                                         absl::Time forget_before) = 0;
};

// A room in the form that one player sees.
struct RoomView {
  Room room;
  std::optional<int> viewer;  // The player's seat.

  friend bool operator==(const RoomView&, const RoomView&) = default;
};

struct NewRoom {
  PlayerId host;
  std::string display_name;
  RequestId request_id;
  MatchTerms terms;
  int player_count = 0;
  RoomVisibility visibility = RoomVisibility::kPrivate;
};

struct RoomJoining {
  PlayerId player;
  std::string display_name;
  RequestId request_id;
  RoomId room;       // Empty if the player gives only `code`.
  std::string code;  // Empty if the player gives `room`.
};

struct RoomList {
  std::vector<RoomView> rooms;
  std::optional<RoomKey> next;  // The last key of this page. The next page begins after this key.
};

// Thread-safe. Every method waits for the store. RoomService in the proto lists the errors of each
// method.
class RoomService {
 public:
  using Watcher = Watchers<std::pair<RoomId, PlayerId>, RoomView>::Watcher;

  RoomService(Clock& clock, Entropy& entropy, RoomStore& store, PlayerStore& players,
              SeenPlayers& seen, QueueCatalog& catalog, Executor& executor, TablePlacer& placer,
              CellChooser& cells, TicketService& tickets, Metrics& metrics, Report report,
              Hosts hosts);

  // Starts the background work. This work shows rooms to their watchers, ends unused rooms, and
  // forgets old data.
  void Start();

  absl::StatusOr<RoomView> Create(const NewRoom& request);
  absl::StatusOr<RoomView> Get(PlayerId player, RoomId id);
  // `page.size` must be positive. `display_name` is the name of `page.player`.
  absl::StatusOr<RoomList> List(const RoomPage& page, const std::string& display_name);
  absl::StatusOr<RoomView> Join(const RoomJoining& joining);
  // Frees the seat of `player`. A caller who frees the seat of another player must be the host.
  absl::Status Leave(PlayerId caller, RoomId id, PlayerId player);
  // If `player` sits in a room, frees the seat of `player` there.
  absl::Status LeaveAll(PlayerId player);
  absl::StatusOr<RoomView> Invite(PlayerId caller, RoomId id, PlayerId guest);
  // Puts a bot of this level into the seat. If `level` is empty, frees the seat.
  absl::StatusOr<RoomView> SetBot(PlayerId caller, RoomId id, int seat, const std::string& level);
  // Returns the number of persons in the room. These persons may then join a queue as a party. If
  // `player` does not sit in the room, returns NOT_FOUND ROOM_NOT_FOUND. While a match of the room
  // runs, returns FAILED_PRECONDITION MATCH_RUNNING. If two of the persons have a block between
  // them, returns FAILED_PRECONDITION BLOCKED.
  absl::StatusOr<int> PartySize(PlayerId player, RoomId id);
  absl::StatusOr<RoomView> StartMatch(PlayerId caller, RoomId id, RequestId request);

  // Calls `watcher` once with the present view, and later as Watchers::Watch describes. There are
  // two kinds of last view: the room has the state kEnded, or the view has no `viewer` because the
  // player has left the room. In the last view, only the id and the state of the room are always
  // set.
  absl::Status Watch(PlayerId player, RoomId id, const std::shared_ptr<const Watcher>& watcher);

 private:
  // If the room exists and has not ended, returns it. If not, returns NOT_FOUND ROOM_NOT_FOUND.
  absl::StatusOr<Room> Read(RoomId id);
  // If the room exists, has not ended, and `caller` sits in it, returns it. If not, returns
  // NOT_FOUND ROOM_NOT_FOUND.
  absl::StatusOr<Room> ReadFor(PlayerId caller, RoomId id);
  // Does the same as ReadFor. While a match of the room runs, also asks the rules service whether
  // the match is over, and waits for the answer. If the match is over, the room has the state
  // kGathering, even if the rules service has not reported the end to matchmaking yet.
  absl::StatusOr<Room> ReadAfterMatch(PlayerId caller, RoomId id);
  absl::StatusOr<Room> ReadForJoining(const RoomJoining& joining);
  // Returns the error ALREADY_EXISTS IN_ROOM, which names the room where the player sits.
  absl::Status InRoom(PlayerId player);
  // Reads a room with `read`, changes it with `edit`, and stores it. If there is nothing to change,
  // `edit` returns false. If another change of the room is stored first, calls `read` and `edit`
  // again.
  template <typename ReadRoom, typename EditRoom>
  absl::StatusOr<Room> Change(PlayerId player, const ReadRoom& read, const EditRoom& edit);
  // If a person of the room and one of `players` have a block between them, returns
  // FAILED_PRECONDITION BLOCKED.
  absl::Status CheckBlocks(const Room& room, absl::Span<const PlayerId> players);

  void Show();
  void Sweep();
  // Forgets guests who came only once, cancelled tickets, and old matches.
  void ForgetGuests(absl::Time now);

  Clock& clock_;
  Entropy& entropy_;
  RoomStore& store_;
  PlayerStore& players_;
  SeenPlayers& seen_;
  QueueCatalog& catalog_;
  Executor& executor_;
  TablePlacer& placer_;
  CellChooser& cells_;
  TicketService& tickets_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  Watchers<std::pair<RoomId, PlayerId>, RoomView> watchers_;
  // The number of calls of TouchRooms that have succeeded since the last failure or since the last
  // long pause.
  int touches_ = 0;
  // The time of the last successful call of TouchRooms.
  absl::Time last_touch_ = absl::InfinitePast();
  // The next call of ForgetGuests handles the guests who were last seen after this time.
  absl::Time guests_seen_ = absl::InfinitePast();
};

}  // namespace tarot::matchmaking_service
