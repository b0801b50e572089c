#include "services/matchmaking/storage/pg_room_store.h"

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/storage/sql_values.h"

// The end of every statement that reads rooms. It stands after a subquery that returns rooms, and
// gives this subquery the name `r`.
#define TAROT_ROOM_SEATS_IN_ORDER                                 \
  " AS r JOIN matchmaking.room_seats AS s USING (room_id)"        \
  " LEFT JOIN matchmaking.tables AS t ON t.table_id = r.table_id" \
  " ORDER BY r.create_time DESC, r.room_id DESC, s.seat"
// The beginning of every statement that reads rooms.
#define TAROT_SELECT_ROOMS                                                        \
  "SELECT r.room_id, r.code, r.open, r.rule_set, r.rule_values, r.deal_count,"    \
  " r.move_limit_seconds, r.time_bank_seconds, false AS ranked, r.take_back,"     \
  " r.breaks, r.host_seat,"                                                       \
  " array_to_string(r.invited, ',') AS invited, r.create_time,"                   \
  " array_to_string(r.removed, ',') AS removed, r.last_table_id,"                 \
  " r.end_time IS NOT NULL AS ended, r.table_id, r.start_request_id, r.revision," \
  " coalesce(t.state, '') AS table_state,"                                        \
  " s.player_id, s.display_name, s.bot_level, s.request_id FROM "

namespace tarot::matchmaking_service {
namespace {

// Every statement is one atomic step. A statement about one room first updates the row of the room
// and compares its revision. A statement about many rooms first locks their rows. So two statements
// never change the same room at the same time.

// If the creator has sent the request before, or if another room has the code, inserts nothing. If
// the creator sits in another room, fails with a unique violation. Deletes the creator's ended
// rooms, so that a player who makes and leaves rooms in a loop has only one row.
constexpr pg::Statement kCreateRoom{"matchmaking_create_room", R"sql(
  WITH made AS (
    INSERT INTO matchmaking.rooms (room_id, code, open, creator_id, request_id, rule_set,
                                   rule_values, deal_count, move_limit_seconds, time_bank_seconds,
                                   host_seat, invited, removed, create_time, use_time,
                                   revision, take_back, breaks)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '{}', '{}', $12, $12, 0, $17, $18)
    ON CONFLICT DO NOTHING
    RETURNING room_id
  ), forgotten AS (
    DELETE FROM matchmaking.rooms AS r USING made
    WHERE r.creator_id = $4 AND r.end_time IS NOT NULL
  )
  INSERT INTO matchmaking.room_seats (room_id, seat, player_id, display_name, bot_level,
                                      request_id)
  SELECT made.room_id, s.position - 1, s.player_id, s.display_name, s.bot_level, s.request_id
  FROM made, unnest($13::uuid[], $14::text[], $15::text[], $16::uuid[]) WITH ORDINALITY
    AS s(player_id, display_name, bot_level, request_id, position)
  RETURNING room_id)sql"};

constexpr pg::Statement kFindRequest{"matchmaking_find_room_request", TAROT_SELECT_ROOMS
                                     "(SELECT * FROM matchmaking.rooms WHERE creator_id = $1 AND "
                                     "request_id = $2)" TAROT_ROOM_SEATS_IN_ORDER};

constexpr pg::Statement kGetRooms{
    "matchmaking_get_rooms", TAROT_SELECT_ROOMS
    "(SELECT * FROM matchmaking.rooms WHERE room_id = ANY($1::uuid[]))" TAROT_ROOM_SEATS_IN_ORDER};

constexpr pg::Statement kFindRoom{"matchmaking_find_room", TAROT_SELECT_ROOMS
                                  "(SELECT * FROM matchmaking.rooms WHERE code = $1 AND end_time "
                                  "IS NULL)" TAROT_ROOM_SEATS_IN_ORDER};

// The next three statements have the same parameters: the player, the key after which the page
// begins, and the size of the page. For the first page, the time in the key is 'infinity'.
constexpr pg::Statement kListOpenRooms{
    "matchmaking_list_open_rooms", TAROT_SELECT_ROOMS
    "(SELECT * FROM matchmaking.rooms AS o WHERE open AND end_time IS NULL"
    " AND EXISTS (SELECT FROM matchmaking.room_seats AS f"
    "             WHERE f.room_id = o.room_id AND f.player_id IS NULL)"
    " AND NOT EXISTS (SELECT FROM matchmaking.room_seats AS m"
    "                 JOIN matchmaking.relations AS b ON b.kind = 'blocks'"
    "                   AND ((b.player_id = m.player_id AND b.other_id = $1)"
    "                     OR (b.player_id = $1 AND b.other_id = m.player_id))"
    "                 WHERE m.room_id = o.room_id AND m.bot_level = '')"
    " AND (create_time, room_id) < ($2::timestamptz, $3::uuid)"
    " ORDER BY create_time DESC, room_id DESC LIMIT $4)" TAROT_ROOM_SEATS_IN_ORDER};

constexpr pg::Statement kListInvitingRooms{
    "matchmaking_list_inviting_rooms", TAROT_SELECT_ROOMS
    "(SELECT * FROM matchmaking.rooms WHERE end_time IS NULL AND invited @> ARRAY[$1::uuid]"
    " AND (create_time, room_id) < ($2::timestamptz, $3::uuid)"
    " ORDER BY create_time DESC, room_id DESC LIMIT $4)" TAROT_ROOM_SEATS_IN_ORDER};

constexpr pg::Statement kListRoomsOfPerson{
    "matchmaking_list_rooms_of_person", TAROT_SELECT_ROOMS
    "(SELECT * FROM matchmaking.rooms WHERE end_time IS NULL"
    " AND room_id IN (SELECT m.room_id FROM matchmaking.room_seats AS m"
    "                 WHERE m.player_id = $1 AND m.bot_level = '')"
    " AND (create_time, room_id) < ($2::timestamptz, $3::uuid)"
    " ORDER BY create_time DESC, room_id DESC LIMIT $4)" TAROT_ROOM_SEATS_IN_ORDER};

// If a person in these seats sits in another room, fails with a unique violation.
constexpr pg::Statement kChangeRoom{"matchmaking_change_room", R"sql(
  WITH changed AS (
    UPDATE matchmaking.rooms
    SET revision = revision + 1, host_seat = $3, invited = $4::uuid[], removed = $11::uuid[],
        use_time = $5::timestamptz,
        end_time = CASE WHEN $6 THEN $5::timestamptz END
    WHERE room_id = $1 AND revision = $2 AND end_time IS NULL
    RETURNING room_id
  )
  UPDATE matchmaking.room_seats AS s
  SET player_id = v.player_id, display_name = v.display_name, bot_level = v.bot_level,
      request_id = v.request_id
  FROM changed, unnest($7::uuid[], $8::text[], $9::text[], $10::uuid[]) WITH ORDINALITY
    AS v(player_id, display_name, bot_level, request_id, position)
  WHERE s.room_id = changed.room_id AND s.seat = v.position - 1
  RETURNING s.seat)sql"};

// Returns one row with two columns. The first column is a busy person or NULL. The second column is
// the game table that was stored, or NULL. If the room has another revision, does not look for busy
// persons. The reason: at a repeat of the start, all persons would be busy at the game table of the
// first start. If the request has already started a match of this room, fails with a unique
// violation.
constexpr pg::Statement kStartMatch{"matchmaking_start_match", R"sql(
  WITH seats AS (
    SELECT * FROM unnest($6::uuid[], $7::text[], $8::text[]) WITH ORDINALITY
      AS v(player_id, display_name, bot_level, position)
  ), busy AS (
    SELECT player_id FROM seats AS s
    WHERE s.bot_level = ''
      AND EXISTS (SELECT FROM matchmaking.rooms
                  WHERE room_id = $1 AND revision = $2 AND end_time IS NULL)
      AND (EXISTS (SELECT FROM matchmaking.tickets AS k
                   WHERE k.player_id = s.player_id
                     AND k.state IN ('waiting', 'placing', 'matched'))
           OR EXISTS (SELECT FROM matchmaking.tables AS t
                      JOIN matchmaking.table_seats AS o USING (table_id)
                      WHERE t.queue_id IS NULL AND t.state IN ('placed', 'made')
                        AND o.player_id = s.player_id AND o.bot_level = ''))
    ORDER BY s.position LIMIT 1
  ), changed AS (
    UPDATE matchmaking.rooms
    SET revision = revision + 1, table_id = $3, start_request_id = $4, last_table_id = $9::uuid,
        use_time = $5::timestamptz
    WHERE room_id = $1 AND revision = $2 AND end_time IS NULL AND NOT EXISTS (SELECT FROM busy)
    RETURNING *
  ), made AS (
    INSERT INTO matchmaking.tables (table_id, state, rating_spread, create_time, rule_set,
                                    rule_values, deal_count, move_limit_seconds,
                                    time_bank_seconds, ranked, room_id, start_request_id,
                                    take_back, breaks)
    SELECT table_id, 'placed', 0, use_time, rule_set, rule_values, deal_count,
           move_limit_seconds, time_bank_seconds, false, room_id, start_request_id, take_back,
           breaks
    FROM changed
    RETURNING table_id
  ), seated AS (
    INSERT INTO matchmaking.table_seats (table_id, seat, player_id, display_name, bot_level)
    SELECT made.table_id, s.position, s.player_id, s.display_name, s.bot_level FROM made, seats s
  )
  SELECT (SELECT player_id FROM busy) AS busy, (SELECT table_id FROM made) AS made)sql"};

// Locks the rooms always in the same order, so that two replicas cannot block each other forever.
constexpr pg::Statement kTouchRooms{"matchmaking_touch_rooms", R"sql(
  UPDATE matchmaking.rooms SET use_time = $2
  WHERE room_id IN (SELECT room_id FROM matchmaking.rooms
                    WHERE room_id = ANY($1::uuid[]) AND end_time IS NULL AND use_time < $2
                    ORDER BY room_id FOR UPDATE))sql"};

// The statements of SweepRooms. Each of them is short, and locks rooms in the same order as
// kTouchRooms.
#define TAROT_RUNNING_TABLES                                        \
  "(SELECT table_id FROM matchmaking.tables WHERE queue_id IS NULL" \
  " AND state IN ('placed', 'made'))"
// Selects the rooms whose party waits in a queue, or plays a match of a queue.
#define TAROT_ROOMS_OF_PARTIES                                           \
  "(SELECT party_id FROM matchmaking.tickets WHERE party_id IS NOT NULL" \
  " AND state IN ('waiting', 'placing', 'matched'))"
constexpr pg::Statement kMarkRunningRooms{
    "matchmaking_mark_running_rooms",
    "UPDATE matchmaking.rooms SET use_time = $1 WHERE room_id IN"
    " (SELECT room_id FROM matchmaking.rooms"
    "  WHERE end_time IS NULL AND use_time < $1"
    "    AND (table_id IN " TAROT_RUNNING_TABLES " OR room_id IN " TAROT_ROOMS_OF_PARTIES
    ")"
    "  ORDER BY room_id FOR UPDATE)"};

// Skips rooms that another statement has locked, because the lock shows that the room is in use.
constexpr pg::Statement kEndUnusedRooms{
    "matchmaking_end_unused_rooms",
    "WITH ended AS ("
    "  UPDATE matchmaking.rooms SET end_time = $1, revision = revision + 1, invited = '{}'"
    "  WHERE room_id IN"
    "   (SELECT room_id FROM matchmaking.rooms"
    "    WHERE end_time IS NULL AND use_time < $2"
    "      AND (table_id IS NULL OR table_id NOT IN " TAROT_RUNNING_TABLES
    ")"
    "      AND room_id NOT IN " TAROT_ROOMS_OF_PARTIES
    "    ORDER BY room_id LIMIT $3 FOR UPDATE SKIP LOCKED)"
    "  RETURNING room_id)"
    "UPDATE matchmaking.room_seats AS s"
    " SET player_id = NULL, display_name = '', bot_level = '', request_id = NULL"
    " FROM ended WHERE s.room_id = ended.room_id"};
#undef TAROT_RUNNING_TABLES
#undef TAROT_ROOMS_OF_PARTIES

constexpr pg::Statement kForgetRooms{"matchmaking_forget_rooms", R"sql(
  DELETE FROM matchmaking.rooms
  WHERE room_id IN (SELECT room_id FROM matchmaking.rooms WHERE end_time < $1
                    ORDER BY end_time LIMIT $2 FOR UPDATE SKIP LOCKED))sql"};

// Forgets refused game tables of queues and of forgotten rooms. No other row needs them: a refused
// ticket no longer names its game table, and a repeated start cannot find a forgotten room.
constexpr pg::Statement kForgetRefusedTables{"matchmaking_forget_refused_tables", R"sql(
  WITH refused AS (
    SELECT table_id FROM matchmaking.tables AS t
    WHERE state = 'refused' AND create_time < $1
      AND NOT EXISTS (SELECT FROM matchmaking.rooms AS r WHERE r.room_id = t.room_id)
    ORDER BY create_time LIMIT $2 FOR UPDATE SKIP LOCKED
  ), seats AS (
    DELETE FROM matchmaking.table_seats AS s USING refused WHERE s.table_id = refused.table_id
  )
  DELETE FROM matchmaking.tables AS t USING refused WHERE t.table_id = refused.table_id)sql"};

constexpr pg::Statement kCountRooms{
    "matchmaking_count_rooms", "SELECT count(*) FROM matchmaking.rooms WHERE end_time IS NULL"};

RoomState StateFrom(bool ended, const std::string& table_state) {
  if (ended) return RoomState::kEnded;
  if (table_state == "placed") return RoomState::kStarting;
  if (table_state == "made") return RoomState::kPlaying;
  return RoomState::kGathering;
}

std::string PlayersText(const std::vector<PlayerId>& players) {
  return ArrayText(players, [](PlayerId player) { return player.ToString(); });
}

Room RoomFrom(const pqxx::row& row) {
  const auto table_state = row["table_state"].as<std::string>();
  Room room{.id = IdFrom<RoomId>(row["room_id"]),
            .code = row["code"].as<std::string>(),
            .visibility = row["open"].as<bool>() ? RoomVisibility::kOpen : RoomVisibility::kPrivate,
            .terms = TermsFrom(row),
            .host_seat = row["host_seat"].as<int>(),
            .create_time = TimeFrom(row["create_time"]),
            .table = IdFrom<TableId>(row["table_id"]),
            .start_request_id = IdFrom<RequestId>(row["start_request_id"]),
            .last_table = IdFrom<TableId>(row["last_table_id"]),
            .state = StateFrom(row["ended"].as<bool>(), table_state),
            .start_refused = table_state == "refused",
            .revision = row["revision"].as<int>()};
  room.invited = PlayersFrom(row["invited"]);
  room.removed = PlayersFrom(row["removed"]);
  return room;
}

RoomSeat SeatFrom(const pqxx::row& row) {
  return {.player = IdFrom<PlayerId>(row["player_id"]),
          .display_name = row["display_name"].as<std::string>(),
          .bot_level = row["bot_level"].as<std::string>(),
          .request_id = IdFrom<RequestId>(row["request_id"])};
}

// The columns of the seats. Each column is an array literal.
struct SeatArrays {
  template <typename Seat>
  explicit SeatArrays(const std::vector<Seat>& seats)
      : players(ArrayText(seats, [](const Seat& seat) { return ElementOf(seat.player); })),
        names(ArrayText(seats, [](const Seat& seat) { return Quoted(seat.display_name); })),
        levels(ArrayText(seats, [](const Seat& seat) { return Quoted(seat.bot_level); })) {}

  std::string players;
  std::string names;
  std::string levels;
};

std::string RequestsOf(const std::vector<RoomSeat>& seats) {
  return ArrayText(seats, [](const RoomSeat& seat) { return ElementOf(seat.request_id); });
}

const pg::Statement& ListStatement(RoomPage::Filter filter) {
  switch (filter) {
    case RoomPage::Filter::kOpenSeats:
      return kListOpenRooms;
    case RoomPage::Filter::kInvited:
      return kListInvitingRooms;
    case RoomPage::Filter::kMine:
      break;
  }
  return kListRoomsOfPerson;
}

class PgRoomStore final : public RoomStore {
 public:
  explicit PgRoomStore(std::shared_ptr<pg::Pool> pool) : pool_(std::move(pool)) {}

  absl::StatusOr<CreatedRoom> CreateRoom(const Room& room) override {
    using Outcome = CreatedRoom::Outcome;
    const RoomSeat& creator = room.seats.at(0);
    const absl::StatusOr<bool> created = Insert(room);
    if (created.ok() && *created) return CreatedRoom{Outcome::kCreated, room};
    if (!created.ok() && !absl::IsAlreadyExists(created.status())) return created.status();
    TAROT_ASSIGN_OR_RETURN(
        const std::vector<Room> first,
        Rooms(kFindRequest, creator.player.ToString(), creator.request_id.ToString()));
    if (!first.empty()) return CreatedRoom{Outcome::kReplayed, first[0]};
    if (created.ok()) return CreatedRoom{Outcome::kCodeTaken, Room()};
    TAROT_ASSIGN_OR_RETURN(
        const std::vector<Room> mine,
        ListRooms({.filter = RoomPage::Filter::kMine, .player = creator.player, .size = 1}));
    // If the player has left the other room after kCreateRoom ran, `mine` is empty.
    if (mine.empty()) return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Try again.");
    return CreatedRoom{Outcome::kInRoom, mine[0]};
  }

  absl::StatusOr<std::vector<Room>> GetRooms(absl::Span<const RoomId> ids) override {
    return Rooms(kGetRooms, ArrayText(ids, [](RoomId id) { return id.ToString(); }));
  }

  absl::StatusOr<std::optional<Room>> FindRoom(const std::string& code) override {
    TAROT_ASSIGN_OR_RETURN(std::vector<Room> rooms, Rooms(kFindRoom, code));
    if (rooms.empty()) return std::nullopt;
    return std::move(rooms[0]);
  }

  absl::StatusOr<std::vector<Room>> ListRooms(const RoomPage& page) override {
    const RoomKey after = page.after.value_or(RoomKey{.create_time = absl::InfiniteFuture()});
    const std::string time = page.after ? TimeText(after.create_time) : "infinity";
    return Rooms(ListStatement(page.filter), page.player.ToString(), time, after.room.ToString(),
                 page.size);
  }

  absl::StatusOr<RoomChange> ChangeRoom(const Room& room, absl::Time now) override {
    const SeatArrays seats(room.seats);
    const std::string requests = RequestsOf(room.seats);
    const std::string invited = PlayersText(room.invited);
    const std::string removed = PlayersText(room.removed);
    const absl::StatusOr<bool> changed =
        pool_->With(kChangeRoom, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
          pqxx::nontransaction tx(connection);
          return !tx.exec_prepared(kChangeRoom.name, room.id.ToString(), room.revision,
                                   room.host_seat, invited, TimeText(now),
                                   room.state == RoomState::kEnded, seats.players, seats.names,
                                   seats.levels, requests, removed)
                      .empty();
        });
    if (absl::IsAlreadyExists(changed.status())) return RoomChange::kInRoom;
    TAROT_RETURN_IF_ERROR(changed.status());
    return *changed ? RoomChange::kDone : RoomChange::kStale;
  }

  absl::StatusOr<RoomStart> StartMatch(const Room& room, const PlannedTable& table) override {
    using Outcome = RoomStart::Outcome;
    const SeatArrays seats(table.seats);
    std::optional<std::string> last_table;
    if (!room.last_table.empty()) last_table = room.last_table.ToString();
    const auto start =
        pool_->With(kStartMatch, [&](pqxx::connection& connection) -> absl::StatusOr<RoomStart> {
          pqxx::nontransaction tx(connection);
          const pqxx::row row = tx.exec_prepared1(
              kStartMatch.name, room.id.ToString(), room.revision, table.id.ToString(),
              room.start_request_id.ToString(), TimeText(table.create_time), seats.players,
              seats.names, seats.levels, OrNull(last_table));
          if (!row["made"].is_null()) return RoomStart{.outcome = Outcome::kStarted};
          if (row["busy"].is_null()) return RoomStart{.outcome = Outcome::kStale};
          return RoomStart{.outcome = Outcome::kBusy, .busy = IdFrom<PlayerId>(row["busy"])};
        });
    if (absl::IsAlreadyExists(start.status())) return RoomStart{.outcome = Outcome::kRepeated};
    return start;
  }

  absl::Status TouchRooms(absl::Span<const RoomId> ids, absl::Time now) override {
    return pool_->With(kTouchRooms, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction tx(connection);
      tx.exec_prepared0(kTouchRooms.name, ArrayText(ids, [](RoomId id) { return id.ToString(); }),
                        TimeText(now));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<int> SweepRooms(absl::Time now, absl::Time unused_since,
                                 absl::Time forget_before) override {
    return pool_->With(kCountRooms, [&](pqxx::connection& connection) -> absl::StatusOr<int> {
      pqxx::nontransaction tx(connection);
      tx.exec_prepared0(kMarkRunningRooms.name, TimeText(now));
      tx.exec_prepared0(kEndUnusedRooms.name, TimeText(now), TimeText(unused_since),
                        kRoomsSweptMax);
      tx.exec_prepared0(kForgetRooms.name, TimeText(forget_before), kRoomsSweptMax);
      tx.exec_prepared0(kForgetRefusedTables.name, TimeText(forget_before), kRoomsSweptMax);
      return tx.exec_prepared1(kCountRooms.name)[0].as<int>();
    });
  }

 private:
  // If a room with the request or the code exists, returns false. If the person in seat 0 sits in
  // another room, returns ALREADY_EXISTS ALREADY_STORED.
  absl::StatusOr<bool> Insert(const Room& room) {
    const SeatArrays seats(room.seats);
    const std::string requests = RequestsOf(room.seats);
    const MatchTerms& terms = room.terms;
    const std::optional<std::string> rules = RuleValuesOf(terms);
    return pool_->With(kCreateRoom, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return !tx.exec_prepared(kCreateRoom.name, room.id.ToString(), room.code,
                               room.visibility == RoomVisibility::kOpen,
                               room.seats[0].player.ToString(), room.seats[0].request_id.ToString(),
                               terms.rule_set, OrNull(rules), terms.deal_count,
                               absl::ToInt64Seconds(terms.move_limit),
                               absl::ToInt64Seconds(terms.time_bank), room.host_seat,
                               TimeText(room.create_time), seats.players, seats.names, seats.levels,
                               requests, terms.take_back, terms.breaks)
                  .empty();
    });
  }

  // Runs one statement that returns rooms. The statement has one row for each seat of a room.
  template <typename... Args>
  absl::StatusOr<std::vector<Room>> Rooms(const pg::Statement& statement, const Args&... args) {
    return pool_->With(statement,
                       [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Room>> {
                         pqxx::nontransaction tx(connection);
                         std::vector<Room> rooms;
                         for (const pqxx::row& row : tx.exec_prepared(statement.name, args...)) {
                           const RoomId id = IdFrom<RoomId>(row["room_id"]);
                           try {
                             if (rooms.empty() || rooms.back().id != id)
                               rooms.push_back(RoomFrom(row));
                             rooms.back().seats.push_back(SeatFrom(row));
                           } catch (const UnreadableRow&) {
                             // A replica of a newer version has stored this room. Skip it, because
                             // the replicas of that version serve it.
                             continue;
                           }
                         }
                         return rooms;
                       });
  }

  const std::shared_ptr<pg::Pool> pool_;
};

}  // namespace

std::vector<pg::Statement> RoomStatements() {
  return {kCreateRoom,    kFindRequest,         kGetRooms,          kFindRoom,
          kListOpenRooms, kListInvitingRooms,   kListRoomsOfPerson, kChangeRoom,
          kStartMatch,    kTouchRooms,          kMarkRunningRooms,  kEndUnusedRooms,
          kForgetRooms,   kForgetRefusedTables, kCountRooms};
}

std::unique_ptr<RoomStore> MakePgRoomStore(std::shared_ptr<pg::Pool> pool) {
  return std::make_unique<PgRoomStore>(std::move(pool));
}

}  // namespace tarot::matchmaking_service
