#include "services/matchmaking/app/room_service.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "libs/base/cell.h"
#include "libs/base/rng.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/app/match_terms.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

RoomView ViewFor(PlayerId player, Room room) {
  const std::optional<int> viewer = room.SeatOf(player);
  return {.room = std::move(room), .viewer = viewer};
}

bool HiddenFrom(PlayerId player, const Room& room) {
  return room.visibility == RoomVisibility::kPrivate && !room.SeatOf(player) &&
         !room.Invited(player);
}

std::string NewCode(Entropy& entropy) {
  constexpr int kCharacters = sizeof(kRoomCodeCharacters) - 1;
  Rng rng(entropy.NewSeed());
  std::string code;
  for (int i = 0; i < kRoomCodeLength; ++i) code += kRoomCodeCharacters[rng.Below(kCharacters)];
  return code;
}

absl::Status CheckHost(const Room& room, PlayerId caller) {
  return room.HostedBy(caller) ? absl::OkStatus() : error::NotHost();
}

PlannedTable TableOf(const Room& room, TableId id, absl::Time now) {
  PlannedTable table{.id = id, .terms = room.terms, .create_time = now};
  for (const RoomSeat& seat : room.seats) {
    table.seats.push_back(
        {.player = seat.player, .display_name = seat.display_name, .bot_level = seat.bot_level});
  }
  return table;
}

}  // namespace

RoomService::RoomService(Clock& clock, Entropy& entropy, RoomStore& store, PlayerStore& players,
                         SeenPlayers& seen, QueueCatalog& catalog, Executor& executor,
                         TablePlacer& placer, CellChooser& cells, TicketService& tickets,
                         Metrics& metrics, Report report, Hosts hosts)
    : clock_(clock),
      entropy_(entropy),
      store_(store),
      players_(players),
      seen_(seen),
      catalog_(catalog),
      executor_(executor),
      placer_(placer),
      cells_(cells),
      tickets_(tickets),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)) {}

void RoomService::Start() {
  executor_.RunEvery(
      kLookEvery, [this] { Show(); }, [] {});
  executor_.RunEvery(
      kRoomSweepEvery, [this] { Sweep(); }, [] {});
}

absl::StatusOr<Room> RoomService::Read(RoomId id) {
  TAROT_ASSIGN_OR_RETURN(std::vector<Room> rooms, store_.GetRooms({id}));
  if (rooms.empty() || rooms[0].state == RoomState::kEnded) return error::RoomNotFound();
  return std::move(rooms[0]);
}

absl::StatusOr<Room> RoomService::ReadFor(PlayerId caller, RoomId id) {
  TAROT_ASSIGN_OR_RETURN(Room room, Read(id));
  if (!room.SeatOf(caller)) return error::RoomNotFound();
  return room;
}

absl::StatusOr<Room> RoomService::ReadAfterMatch(PlayerId caller, RoomId id) {
  TAROT_ASSIGN_OR_RETURN(Room room, ReadFor(caller, id));
  if (room.state != RoomState::kPlaying) return room;
  TAROT_ASSIGN_OR_RETURN(const bool over, tickets_.ReleaseIfOver(room.table));
  return over ? ReadFor(caller, id) : room;
}

absl::Status RoomService::InRoom(PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(
      const std::vector<Room> rooms,
      store_.ListRooms({.filter = RoomPage::Filter::kMine, .player = player, .size = 1}));
  // If the player has left the other room in the meantime, the error IN_ROOM has no room to name.
  // In this case the caller gets OVERLOADED and can repeat the call.
  return rooms.empty() ? error::RoomContended() : error::InRoom(rooms[0].id);
}

template <typename ReadRoom, typename EditRoom>
absl::StatusOr<Room> RoomService::Change(PlayerId player, const ReadRoom& read,
                                         const EditRoom& edit) {
  for (int attempt = 0; attempt < kRoomAttemptsMax; ++attempt) {
    TAROT_ASSIGN_OR_RETURN(Room room, read());
    TAROT_ASSIGN_OR_RETURN(const bool changed, edit(room));
    if (!changed) return room;
    TAROT_ASSIGN_OR_RETURN(const RoomChange outcome, store_.ChangeRoom(room, clock_.Now()));
    if (outcome == RoomChange::kInRoom) return InRoom(player);
    if (outcome == RoomChange::kStale) continue;
    ++room.revision;
    return room;
  }
  return error::RoomContended();
}

absl::Status RoomService::CheckBlocks(const Room& room, absl::Span<const PlayerId> players) {
  TAROT_ASSIGN_OR_RETURN(const bool blocked, players_.HasBlock(room.Persons(), players));
  return blocked ? error::Blocked() : absl::OkStatus();
}

absl::StatusOr<RoomView> RoomService::Create(const NewRoom& request) {
  TAROT_RETURN_IF_ERROR(CheckTerms(
      request.terms, request.player_count,
      {.move_limit_max = kRoomMoveLimitMax, .time_bank_max = kRoomTimeBankMax}, "terms."));
  TAROT_RETURN_IF_ERROR(seen_.See(request.host, request.display_name));
  Room room{.id = RoomId{entropy_.NewUuid()},
            .visibility = request.visibility,
            .terms = request.terms,
            .seats = std::vector<RoomSeat>(static_cast<std::size_t>(request.player_count)),
            .create_time = clock_.Now()};
  room.seats[0] = {.player = request.host,
                   .display_name = request.display_name,
                   .request_id = request.request_id};
  for (int attempt = 0; attempt < kRoomCodeAttemptsMax; ++attempt) {
    room.code = NewCode(entropy_);
    TAROT_ASSIGN_OR_RETURN(CreatedRoom created, store_.CreateRoom(room));
    if (created.outcome == CreatedRoom::Outcome::kCodeTaken) continue;
    if (created.outcome == CreatedRoom::Outcome::kInRoom) return error::InRoom(created.room.id);
    // The request is a repeat. If the caller has left this room since the first request, the answer
    // does not show the room's players and code.
    if (!created.room.SeatOf(request.host)) {
      return RoomView{.room = {.id = created.room.id, .state = created.room.state}};
    }
    return ViewFor(request.host, std::move(created.room));
  }
  return error::Overloaded();
}

absl::StatusOr<RoomView> RoomService::Get(PlayerId player, RoomId id) {
  TAROT_ASSIGN_OR_RETURN(Room room, Read(id));
  if (HiddenFrom(player, room)) return error::RoomNotFound();
  return ViewFor(player, std::move(room));
}

absl::StatusOr<RoomList> RoomService::List(const RoomPage& page, const std::string& display_name) {
  TAROT_RETURN_IF_ERROR(seen_.See(page.player, display_name));
  RoomPage with_next = page;
  ++with_next.size;
  TAROT_ASSIGN_OR_RETURN(std::vector<Room> rooms, store_.ListRooms(with_next));
  RoomList list;
  if (rooms.size() > static_cast<std::size_t>(page.size)) {
    rooms.pop_back();
    list.next = RoomKey{.create_time = rooms.back().create_time, .room = rooms.back().id};
  }
  for (Room& room : rooms) list.rooms.push_back(ViewFor(page.player, std::move(room)));
  return list;
}

absl::StatusOr<Room> RoomService::ReadForJoining(const RoomJoining& joining) {
  if (joining.room.empty()) {
    TAROT_ASSIGN_OR_RETURN(std::optional<Room> room, store_.FindRoom(joining.code));
    if (!room) return error::CodeNotFound();
    return *std::move(room);
  }
  TAROT_ASSIGN_OR_RETURN(Room room, Read(joining.room));
  // A removed player knows that the room exists. So Join tells this player REMOVED_FROM_ROOM, and
  // not that there is no such room.
  const bool known = !HiddenFrom(joining.player, room) || room.Removed(joining.player);
  if (!known) return error::RoomNotFound();
  return room;
}

absl::StatusOr<RoomView> RoomService::Join(const RoomJoining& joining) {
  TAROT_RETURN_IF_ERROR(seen_.See(joining.player, joining.display_name));
  TAROT_ASSIGN_OR_RETURN(
      Room joined, Change(
                       joining.player, [&] { return ReadForJoining(joining); },
                       [&](Room& room) -> absl::StatusOr<bool> {
                         if (const std::optional<int> seat = room.SeatOf(joining.player)) {
                           const RoomSeat& taken = room.seats[static_cast<std::size_t>(*seat)];
                           if (taken.request_id == joining.request_id) return false;
                           return error::InRoom(room.id);
                         }
                         if (room.Removed(joining.player)) return error::RemovedFromRoom();
                         const std::optional<int> seat = room.FreeSeat();
                         if (!seat) return error::RoomFull();
                         TAROT_RETURN_IF_ERROR(CheckBlocks(room, {joining.player}));
                         room.Seat(*seat, {.player = joining.player,
                                           .display_name = joining.display_name,
                                           .request_id = joining.request_id});
                         return true;
                       }));
  return ViewFor(joining.player, std::move(joined));
}

absl::Status RoomService::Leave(PlayerId caller, RoomId id, PlayerId player) {
  const auto read = [&]() -> absl::StatusOr<Room> {
    TAROT_ASSIGN_OR_RETURN(std::vector<Room> rooms, store_.GetRooms({id}));
    if (rooms.empty()) return error::RoomNotFound();
    return std::move(rooms[0]);
  };
  return Change(player, read,
                [&](Room& room) -> absl::StatusOr<bool> {
                  if (caller != player) {
                    if (!room.SeatOf(caller)) return error::RoomNotFound();
                    TAROT_RETURN_IF_ERROR(CheckHost(room, caller));
                  }
                  const std::optional<int> seat = room.SeatOf(player);
                  if (!seat) return false;
                  if (caller == player) {
                    room.Free(*seat);
                  } else {
                    room.Remove(*seat);
                  }
                  return true;
                })
      .status();
}

absl::Status RoomService::LeaveAll(PlayerId player) {
  const RoomPage page{.filter = RoomPage::Filter::kMine, .player = player, .size = 1};
  TAROT_ASSIGN_OR_RETURN(const std::vector<Room> rooms, store_.ListRooms(page));
  for (const Room& room : rooms) TAROT_RETURN_IF_ERROR(Leave(player, room.id, player));
  return absl::OkStatus();
}

absl::StatusOr<RoomView> RoomService::Invite(PlayerId caller, RoomId id, PlayerId guest) {
  TAROT_ASSIGN_OR_RETURN(Room room, Change(
                                        guest, [&] { return ReadFor(caller, id); },
                                        [&](Room& present) -> absl::StatusOr<bool> {
                                          if (catalog_.IsBot(guest)) return error::GuestIsBot();
                                          if (present.SeatOf(guest)) return error::GuestInRoom(id);
                                          if (present.Invited(guest)) return false;
                                          TAROT_ASSIGN_OR_RETURN(const bool seen,
                                                                 players_.HasSeen(guest));
                                          if (!seen) return error::PlayerNotFound();
                                          TAROT_RETURN_IF_ERROR(CheckBlocks(present, {guest}));
                                          if (present.invited.size() >= kRoomInvitationsMax)
                                            return error::InvitationsFull();
                                          present.Invite(guest);
                                          return true;
                                        }));
  return ViewFor(caller, std::move(room));
}

absl::StatusOr<RoomView> RoomService::SetBot(PlayerId caller, RoomId id, int seat,
                                             const std::string& level) {
  TAROT_ASSIGN_OR_RETURN(Room room,
                         Change(
                             caller, [&] { return ReadAfterMatch(caller, id); },
                             [&](Room& present) -> absl::StatusOr<bool> {
                               if (seat < 0 || seat >= static_cast<int>(present.seats.size())) {
                                 return error::FieldInvalid("seat", "must be a seat of the room");
                               }
                               const std::optional<Bot> bot = RoomBot(level, seat);
                               if (!bot && !level.empty()) {
                                 return error::FieldInvalid(
                                     "bot_level", "must be the name of a level, or empty");
                               }
                               TAROT_RETURN_IF_ERROR(CheckHost(present, caller));
                               if (present.match_runs())
                                 return error::MatchRunning(present.MadeTable());
                               const RoomSeat& now = present.seats[static_cast<std::size_t>(seat)];
                               if (now.person()) return error::SeatTaken();
                               if (now.bot_level == level) return false;
                               if (bot) {
                                 present.Seat(seat, {.player = bot->player,
                                                     .display_name = bot->display_name,
                                                     .bot_level = bot->level});
                               } else {
                                 present.Free(seat);
                               }
                               return true;
                             }));
  return ViewFor(caller, std::move(room));
}

absl::StatusOr<int> RoomService::PartySize(PlayerId player, RoomId id) {
  TAROT_ASSIGN_OR_RETURN(const Room room, ReadAfterMatch(player, id));
  if (room.match_runs()) return error::MatchRunning(room.MadeTable());
  const std::vector<PlayerId> persons = room.Persons();
  TAROT_RETURN_IF_ERROR(CheckBlocks(room, persons));
  return static_cast<int>(persons.size());
}

absl::StatusOr<RoomView> RoomService::StartMatch(PlayerId caller, RoomId id, RequestId request) {
  for (int attempt = 0; attempt < kRoomAttemptsMax; ++attempt) {
    TAROT_ASSIGN_OR_RETURN(Room room, ReadAfterMatch(caller, id));
    if (room.start_request_id == request) return ViewFor(caller, std::move(room));
    TAROT_RETURN_IF_ERROR(CheckHost(room, caller));
    if (room.match_runs()) return error::MatchRunning(room.MadeTable());
    const auto free_seats = std::count_if(room.seats.begin(), room.seats.end(),
                                          [](const RoomSeat& seat) { return seat.free(); });
    if (free_seats > 0) return error::SeatsFree(static_cast<int>(free_seats));
    TAROT_RETURN_IF_ERROR(CheckBlocks(room, room.Persons()));
    const std::optional<int> cell = cells_.Choose(entropy_, [](int) { return true; });
    // The host may try again at once if a cell has not answered.
    if (!cell) return cells_.WaitsForAnAnswer() ? error::RulesAway() : error::TablesFull();
    room.last_table = room.MadeTable();
    room.table = TableId{NewTableUuid(entropy_, clock_.Now(), *cell)};
    room.start_request_id = request;
    const PlannedTable table = TableOf(room, room.table, clock_.Now());
    TAROT_ASSIGN_OR_RETURN(const RoomStart start, store_.StartMatch(room, table));
    if (start.outcome == RoomStart::Outcome::kBusy) return error::PlayerBusy(start.busy);
    if (start.outcome == RoomStart::Outcome::kStale) continue;
    if (start.outcome == RoomStart::Outcome::kRepeated) {
      TAROT_ASSIGN_OR_RETURN(Room present, ReadFor(caller, id));
      return ViewFor(caller, std::move(present));
    }
    metrics_.room_matches.Increment();
    // If the executor drops this task or this replica dies, TablePlacer::RetryStored requests the
    // table later.
    executor_.Run([this, table] { placer_.Ask({table}); });
    room.state = RoomState::kStarting;
    room.start_refused = false;
    ++room.revision;
    return ViewFor(caller, std::move(room));
  }
  return error::RoomContended();
}

absl::Status RoomService::Watch(PlayerId player, RoomId id,
                                const std::shared_ptr<const Watcher>& watcher) {
  TAROT_ASSIGN_OR_RETURN(Room room, ReadFor(player, id));
  const RoomView view = ViewFor(player, std::move(room));
  (*watcher)(view);
  // A change may come after the read above. The watcher gets this change too, because Show reads
  // every watched room every 200 ms.
  watchers_.Watch({id, player}, view, watcher);
  return absl::OkStatus();
}

// If a read fails, this function does nothing, because it runs again soon.
void RoomService::Show() {
  const std::vector<std::pair<RoomId, PlayerId>> watched = watchers_.Watched();
  std::vector<RoomId> ids;
  for (const auto& [room, player] : watched) {
    if (ids.empty() || ids.back() != room) ids.push_back(room);
  }
  if (ids.empty()) return;
  absl::StatusOr<std::vector<Room>> rooms = store_.GetRooms(ids);
  if (!rooms.ok()) return;
  absl::flat_hash_map<RoomId, const Room*> by_id;
  for (const Room& room : *rooms) by_id[room.id] = &room;
  watchers_.Show(
      [&](const std::pair<RoomId, PlayerId>& key, const RoomView& last) -> std::optional<RoomView> {
        const auto& [id, player] = key;
        // Skip a player who began to watch after the call of Watched(): `rooms` may be older than
        // this player's seat.
        if (!std::binary_search(watched.begin(), watched.end(), key)) return std::nullopt;
        const auto found = by_id.find(id);
        if (found == by_id.end()) return RoomView{.room = {.id = id, .state = RoomState::kEnded}};
        if (found->second->revision < last.room.revision) return std::nullopt;
        return ViewFor(player, *found->second);
      });
}

void RoomService::Sweep() {
  const absl::Time now = clock_.Now();
  std::vector<RoomId> watched;
  std::vector<PlayerId> watching;
  for (const auto& [room, player] : watchers_.Watched()) {
    watched.push_back(room);
    watching.push_back(player);
  }
  if (const absl::Status status = seen_.SeeAgain(watching); !status.ok()) {
    report_("mark players as online", status);
  }
  if (const absl::Status status = store_.TouchRooms(watched, now); !status.ok()) {
    touches_ = 0;
    return report_("mark rooms as used", status);
  }
  // If this replica has paused for a long time, perhaps the other replicas have paused, too. So
  // this replica must wait until the other replicas have marked their rooms.
  if (now - last_touch_ > 2 * kRoomSweepEvery) touches_ = 0;
  last_touch_ = now;
  ++touches_;
  if (!hosts_(kRooms)) return metrics_.rooms_open.Set(0);
  if (touches_ < kRoomTouchesMin) return;
  const absl::StatusOr<int> live =
      store_.SweepRooms(now, now - kRoomUnusedMax, now - kRoomForgottenAfter);
  if (!live.ok()) return report_("end unused rooms", live.status());
  metrics_.rooms_open.Set(*live);
  const absl::Status forgotten =
      players_.ForgetPlayers(now - kPlayerForgottenAfter, now - kReportForgottenAfter);
  if (!forgotten.ok()) report_("forget unused players", forgotten);
  ForgetGuests(now);
}

void RoomService::ForgetGuests(absl::Time now) {
  const absl::Status tickets = players_.ForgetTickets(now - kTicketForgottenAfter);
  if (!tickets.ok()) report_("forget cancelled tickets", tickets);
  const absl::Status matches = players_.ForgetMatches(now - kMatchForgottenAfter);
  if (!matches.ok()) report_("forget finished matches", matches);
  const absl::Time until = now - kGuestForgottenAfter;
  // Perhaps no replica has handled the guests of the last day. So the first sweep begins one day
  // before `until`.
  const absl::Time from = std::max(guests_seen_, until - absl::Hours(24));
  const absl::StatusOr<int> guests = players_.ForgetGuests(from, until);
  if (!guests.ok()) return report_("forget guests", guests.status());
  // If this sweep forgot fewer guests than the maximum, it has handled the whole time range, and
  // the guests that remain have a reason to stay. So the next sweep begins at `until`.
  if (*guests < kGuestsForgottenMax) guests_seen_ = until;
}

}  // namespace tarot::matchmaking_service
