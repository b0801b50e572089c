#include "services/matchmaking/storage/pg_player_store.h"

#include <array>
#include <cstddef>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "services/matchmaking/limits.h"
#include "services/matchmaking/storage/sql_values.h"

namespace tarot::matchmaking_service {
namespace {

constexpr pg::Statement kSeePlayer{"matchmaking_see_player", R"sql(
  INSERT INTO matchmaking.players AS p (player_id, display_name, seen_time) VALUES ($1, $2, $3)
  ON CONFLICT (player_id) DO UPDATE
    SET display_name = excluded.display_name,
        seen_time = greatest(p.seen_time, excluded.seen_time))sql"};

// Locks the rows of the players always in the same order, so that two replicas cannot block each
// other forever.
constexpr pg::Statement kSeePlayersAgain{"matchmaking_see_players_again", R"sql(
  UPDATE matchmaking.players SET seen_time = $2
  WHERE player_id IN (SELECT player_id FROM matchmaking.players
                      WHERE player_id = ANY($1::uuid[]) AND seen_time < $2
                      ORDER BY player_id FOR UPDATE))sql"};

constexpr pg::Statement kHasSeenPlayer{"matchmaking_has_seen_player", R"sql(
  SELECT EXISTS (SELECT FROM matchmaking.players WHERE player_id = $1)
      OR EXISTS (SELECT FROM matchmaking.tickets WHERE player_id = $1))sql"};

constexpr pg::Statement kForgetPlayers{"matchmaking_forget_players", R"sql(
  WITH unused AS (
    SELECT player_id FROM matchmaking.players WHERE seen_time < $1
    ORDER BY seen_time LIMIT $2 FOR UPDATE SKIP LOCKED
  ), their_own AS (
    DELETE FROM matchmaking.relations AS r USING unused WHERE r.player_id = unused.player_id
  ), of_others AS (
    DELETE FROM matchmaking.relations AS r USING unused WHERE r.other_id = unused.player_id
  )
  DELETE FROM matchmaking.players AS p USING unused WHERE p.player_id = unused.player_id)sql"};

constexpr pg::Statement kForgetGuests{"matchmaking_forget_guests", R"sql(
  WITH guests AS (
    SELECT p.player_id FROM matchmaking.players AS p
    WHERE p.seen_time >= $1 AND p.seen_time < $2
      AND NOT EXISTS (SELECT FROM matchmaking.relations AS r WHERE r.player_id = p.player_id)
      AND NOT EXISTS (SELECT FROM matchmaking.relations AS r WHERE r.other_id = p.player_id)
      AND NOT EXISTS (SELECT FROM matchmaking.room_seats AS s
                      WHERE s.player_id = p.player_id AND s.bot_level = '')
      AND NOT EXISTS (SELECT FROM matchmaking.standings AS s WHERE s.player_id = p.player_id)
      AND NOT EXISTS (SELECT FROM matchmaking.tickets AS t
                      WHERE t.player_id = p.player_id AND t.state <> 'cancelled')
    ORDER BY p.seen_time LIMIT $3 FOR UPDATE OF p SKIP LOCKED
  ), forgotten AS (
    DELETE FROM matchmaking.players AS p USING guests WHERE p.player_id = guests.player_id
    RETURNING p.player_id
  )
  SELECT count(*)::integer FROM forgotten)sql"};

constexpr pg::Statement kForgetTickets{"matchmaking_forget_tickets", R"sql(
  DELETE FROM matchmaking.tickets WHERE ticket_id IN
    (SELECT ticket_id FROM matchmaking.tickets
     WHERE state = 'cancelled' AND create_time < $1
     ORDER BY create_time LIMIT $2 FOR UPDATE SKIP LOCKED))sql"};

constexpr pg::Statement kForgetMatches{"matchmaking_forget_matches", R"sql(
  WITH old AS (
    SELECT table_id FROM matchmaking.tables AS t
    WHERE state = 'over' AND create_time < $1
      AND NOT EXISTS (SELECT FROM matchmaking.rooms AS r
                      WHERE r.room_id = t.room_id AND t.table_id IN (r.table_id, r.last_table_id))
    ORDER BY create_time LIMIT $2 FOR UPDATE SKIP LOCKED
  ), closed AS (
    DELETE FROM matchmaking.tickets AS t USING old
    WHERE t.table_id = old.table_id AND t.state = 'closed'
  ), seats AS (
    DELETE FROM matchmaking.table_seats AS s USING old WHERE s.table_id = old.table_id
  )
  DELETE FROM matchmaking.tables AS t USING old WHERE t.table_id = old.table_id)sql"};

constexpr pg::Statement kForgetReports{"matchmaking_forget_reports", R"sql(
  DELETE FROM matchmaking.reports
  WHERE (reporter_id, player_id, table_id, deal_number) IN
    (SELECT reporter_id, player_id, table_id, deal_number FROM matchmaking.reports
     WHERE report_time < $1 ORDER BY report_time LIMIT $2 FOR UPDATE SKIP LOCKED))sql"};

// Locks two players until the end of the transaction. Without the lock, one transaction could store
// a request while another transaction stores a block. The order of the locks is always the same, so
// two transactions cannot block each other forever.
constexpr pg::Statement kLockPlayers{"matchmaking_lock_players", R"sql(
  SELECT pg_advisory_xact_lock(key)
  FROM (SELECT hashtextextended('matchmaking.players/' || id, 0) AS key
        FROM unnest(ARRAY[$1::text, $2::text]) AS id ORDER BY key) AS keys)sql"};

// Some parameters need an explanation. $4 is true if the player may only accept an earlier request.
// $5 limits the player's friends and sent requests together. $6 limits the other player's friends
// and received requests together. If the other player has asked before, the limit $6 does not
// apply.
constexpr pg::Statement kAskFriend{"matchmaking_ask_friend", R"sql(
  WITH present AS (
    SELECT
      coalesce((SELECT kind FROM matchmaking.relations
                WHERE player_id = $1 AND other_id = $2), '') AS mine,
      coalesce((SELECT kind FROM matchmaking.relations
                WHERE player_id = $2 AND other_id = $1), '') AS theirs,
      (SELECT count(*) FROM matchmaking.relations
       WHERE player_id = $1 AND kind = 'asks') >= $5 AS asks_many,
      (SELECT count(*) FROM matchmaking.relations
       WHERE other_id = $2 AND kind = 'asks') >= $6 AS asked_by_many
  ), outcome AS (
    SELECT CASE
      WHEN mine = 'blocks' OR theirs = 'blocks' THEN 'blocked'
      WHEN mine = 'asks' AND theirs = 'asks' THEN 'friends'
      WHEN theirs = '' AND $4 THEN 'no request'
      WHEN mine = 'asks' THEN 'requested'
      WHEN asks_many OR (asked_by_many AND theirs <> 'asks') THEN 'full'
      ELSE 'stored' END AS outcome, theirs
    FROM present
  ), stored AS (
    INSERT INTO matchmaking.relations (player_id, other_id, kind, change_time)
    SELECT $1, $2, 'asks', $3 FROM outcome WHERE outcome = 'stored'
    ON CONFLICT DO NOTHING
  )
  SELECT CASE WHEN outcome <> 'stored' THEN outcome
              WHEN theirs = 'asks' THEN 'friends' ELSE 'requested' END
  FROM outcome)sql"};

constexpr pg::Statement kRemoveFriend{"matchmaking_remove_friend", R"sql(
  WITH removed AS (
    DELETE FROM matchmaking.relations
    WHERE kind = 'asks' AND ((player_id = $1 AND other_id = $2)
                             OR (player_id = $2 AND other_id = $1))
    RETURNING player_id
  )
  SELECT EXISTS (SELECT FROM removed))sql"};

// Stores the block and returns true. If the player already blocks too many others, returns false.
// If the other player also blocks this player, that block stays. Adds 1 to the revisions of the two
// players' rooms. So if a change of such a room was checked for blocks before this statement, the
// store refuses this change.
constexpr pg::Statement kBlockPlayer{"matchmaking_block_player", R"sql(
  WITH allowed AS (
    SELECT FROM (SELECT count(*) AS blocks FROM matchmaking.relations
                 WHERE player_id = $1 AND kind = 'blocks' AND other_id <> $2) AS others
    WHERE blocks < $4
  ), stored AS (
    INSERT INTO matchmaking.relations AS r (player_id, other_id, kind, change_time)
    SELECT $1, $2, 'blocks', $3 FROM allowed
    ON CONFLICT (player_id, other_id) DO UPDATE SET kind = 'blocks', change_time = $3
      WHERE r.kind <> 'blocks'
  ), ended AS (
    DELETE FROM matchmaking.relations
    WHERE player_id = $2 AND other_id = $1 AND kind = 'asks' AND EXISTS (SELECT FROM allowed)
  ), theirs AS (
    SELECT room_id FROM matchmaking.rooms
    WHERE end_time IS NULL AND EXISTS (SELECT FROM allowed)
      AND room_id IN (SELECT room_id FROM matchmaking.room_seats
                      WHERE player_id IN ($1, $2) AND bot_level = '')
    ORDER BY room_id FOR UPDATE
  ), changed AS (
    UPDATE matchmaking.rooms AS r
    SET invited = array_remove(array_remove(r.invited, $1::uuid), $2::uuid),
        revision = r.revision + 1
    FROM theirs WHERE r.room_id = theirs.room_id
  )
  SELECT EXISTS (SELECT FROM allowed))sql"};

constexpr pg::Statement kUnblockPlayer{"matchmaking_unblock_player", R"sql(
  WITH removed AS (
    DELETE FROM matchmaking.relations
    WHERE player_id = $1 AND other_id = $2 AND kind = 'blocks'
    RETURNING player_id
  )
  SELECT EXISTS (SELECT FROM removed))sql"};

// Parameters: the reader; the relation (a value of Relation) and the player after which the page
// begins; the size of the page; and a time. A player who was seen after this time is online. A
// match of a room belongs to the players of its seats, not to the room: a player may have left the
// room, or may have joined it, during the match.
constexpr pg::Statement kListFriends{"matchmaking_list_friends", R"sql(
  WITH known AS (
    SELECT coalesce(m.other_id, o.player_id) AS player_id,
           CASE WHEN m.kind = 'blocks' THEN 4 WHEN m.kind IS NULL THEN 2
                WHEN o.kind IS NULL THEN 3 ELSE 1 END AS relation
    FROM (SELECT * FROM matchmaking.relations WHERE player_id = $1) AS m
    FULL JOIN (SELECT * FROM matchmaking.relations WHERE other_id = $1 AND kind = 'asks') AS o
      ON o.player_id = m.other_id
  ), page AS (
    SELECT * FROM known WHERE (relation, player_id) > ($2::integer, $3::uuid)
    ORDER BY relation, player_id LIMIT $4
  )
  SELECT page.player_id, page.relation,
         coalesce(p.display_name, (SELECT t.display_name FROM matchmaking.tickets AS t
                                   WHERE t.player_id = page.player_id
                                   ORDER BY t.create_time DESC LIMIT 1), '') AS display_name,
         coalesce(p.seen_time > $5, false) AS online, k.state AS ticket_state,
         k.table_id AS ticket_table_id, g.table_id AS room_table_id, r.room_id,
         coalesce(r.may_join, false) AS may_join
  FROM page
  LEFT JOIN matchmaking.players AS p USING (player_id)
  LEFT JOIN LATERAL (
    SELECT state, table_id FROM matchmaking.tickets AS t
    WHERE t.player_id = page.player_id AND page.relation = 1
      AND t.state IN ('waiting', 'placing', 'matched')
    ORDER BY t.state = 'matched' DESC, t.create_time LIMIT 1
  ) AS k ON true
  LEFT JOIN LATERAL (
    SELECT x.table_id
    FROM matchmaking.table_seats AS s JOIN matchmaking.tables AS x USING (table_id)
    WHERE s.player_id = page.player_id AND s.bot_level = '' AND s.ticket_id IS NULL
      AND page.relation = 1 AND x.state = 'made'
    LIMIT 1
  ) AS g ON true
  LEFT JOIN LATERAL (
    SELECT o.room_id,
           EXISTS (SELECT FROM matchmaking.room_seats AS v
                   WHERE v.room_id = o.room_id AND v.player_id = $1 AND v.bot_level = '')
             OR ((o.open OR o.invited @> ARRAY[$1::uuid]) AND NOT o.removed @> ARRAY[$1::uuid]
                 AND NOT EXISTS (
                   SELECT FROM matchmaking.room_seats AS v
                   JOIN matchmaking.relations AS b
                     ON b.kind = 'blocks' AND ((b.player_id = $1 AND b.other_id = v.player_id)
                                            OR (b.player_id = v.player_id AND b.other_id = $1))
                   WHERE v.room_id = o.room_id AND v.bot_level = '')) AS may_join
    FROM matchmaking.room_seats AS s
    JOIN matchmaking.rooms AS o USING (room_id)
    WHERE s.player_id = page.player_id AND s.bot_level = '' AND page.relation = 1
      AND o.end_time IS NULL
  ) AS r ON true
  ORDER BY page.relation, page.player_id)sql"};

constexpr pg::Statement kHasBlock{"matchmaking_has_block", R"sql(
  SELECT EXISTS (SELECT FROM matchmaking.relations
                 WHERE kind = 'blocks' AND player_id = ANY($1::uuid[])
                   AND other_id = ANY($2::uuid[]))
      OR EXISTS (SELECT FROM matchmaking.relations
                 WHERE kind = 'blocks' AND player_id = ANY($2::uuid[])
                   AND other_id = ANY($1::uuid[])))sql"};

// The parameters are, in this order: the reporter, the player, the table, the deal, the reason, the
// time, the limit, and the time before which a game table is too old for a report.
constexpr pg::Statement kReportPlayer{"matchmaking_report_player", R"sql(
  WITH outcome AS (
    SELECT CASE
      WHEN EXISTS (SELECT FROM matchmaking.reports
                   WHERE reporter_id = $1 AND player_id = $2 AND table_id = $3)
        THEN 'repeated'
      WHEN NOT EXISTS (SELECT FROM matchmaking.table_seats JOIN matchmaking.tables USING (table_id)
                       WHERE table_id = $3 AND player_id = $1 AND bot_level = ''
                         AND state IN ('made', 'over') AND create_time > $8) THEN 'no table'
      WHEN NOT EXISTS (SELECT FROM matchmaking.table_seats
                       WHERE table_id = $3 AND player_id = $2) THEN 'not at table'
      WHEN EXISTS (SELECT FROM matchmaking.table_seats
                   WHERE table_id = $3 AND player_id = $2 AND bot_level <> '') THEN 'bot'
      WHEN (SELECT count(*) FROM matchmaking.reports
            WHERE reporter_id = $1 AND report_time > $6::timestamptz - interval '1 day') >= $7
        THEN 'full'
      ELSE 'stored' END AS outcome
  ), stored AS (
    INSERT INTO matchmaking.reports (reporter_id, player_id, table_id, deal_number, reason,
                                     report_time)
    SELECT $1, $2, $3, $4, $5, $6 FROM outcome WHERE outcome IN ('stored', 'repeated')
    ON CONFLICT ON CONSTRAINT reports_pk
    DO UPDATE SET deal_number = excluded.deal_number, reason = excluded.reason
  )
  SELECT outcome FROM outcome)sql"};

// The parameters are the size of the page, and the report after which the page begins. For the
// first page, the time of this report is 'infinity'.
constexpr pg::Statement kListReports{"matchmaking_list_reports", R"sql(
  SELECT * FROM matchmaking.reports
  WHERE (report_time, reporter_id, player_id, table_id, deal_number)
      < ($2::timestamptz, $3::uuid, $4::uuid, $5::uuid, $6::integer)
  ORDER BY report_time DESC, reporter_id DESC, player_id DESC, table_id DESC, deal_number DESC
  LIMIT $1)sql"};

// The texts that the SQL table stores, in the order of ReportReason.
constexpr std::array kReasons = {"helps_another_seat", "loses_on_purpose", "delays_the_game",
                                 "offensive_name"};

FriendOutcome FriendOutcomeFrom(const std::string& text) {
  if (text == "friends") return FriendOutcome::kFriends;
  if (text == "requested") return FriendOutcome::kRequested;
  if (text == "no request") return FriendOutcome::kNoRequest;
  if (text == "blocked") return FriendOutcome::kBlocked;
  return FriendOutcome::kFull;
}

ReportOutcome ReportOutcomeFrom(const std::string& text) {
  if (text == "stored") return ReportOutcome::kStored;
  if (text == "repeated") return ReportOutcome::kRepeated;
  if (text == "no table") return ReportOutcome::kNoTable;
  if (text == "not at table") return ReportOutcome::kNotAtTable;
  if (text == "bot") return ReportOutcome::kBot;
  return ReportOutcome::kFull;
}

ReportReason ReasonFrom(const std::string& text) {
  std::size_t reason = 0;
  while (reason + 1 < kReasons.size() && kReasons[reason] != text) ++reason;
  return static_cast<ReportReason>(reason);
}

Presence PresenceFrom(const pqxx::row& row) {
  Presence presence;
  const std::string ticket = row["ticket_state"].is_null() ? "" : row["ticket_state"].c_str();
  if (ticket == "matched") {
    presence.activity = Activity::kPlaying;
    presence.table = IdFrom<TableId>(row["ticket_table_id"]);
  } else if (!row["room_table_id"].is_null()) {
    presence.activity = Activity::kPlaying;
    presence.table = IdFrom<TableId>(row["room_table_id"]);
  } else if (!ticket.empty()) {
    presence.activity = Activity::kWaiting;
  } else if (!row["room_id"].is_null()) {
    presence.activity = Activity::kInRoom;
  } else if (row["online"].as<bool>()) {
    presence.activity = Activity::kOnline;
  }
  if (row["may_join"].as<bool>()) presence.room = IdFrom<RoomId>(row["room_id"]);
  return presence;
}

constexpr pg::Statement kExportPlayer{"matchmaking_export_player", R"sql(
  SELECT jsonb_build_object(
    'player', (SELECT to_jsonb(p) FROM matchmaking.players AS p WHERE p.player_id = $1),
    'standing', (SELECT to_jsonb(s) FROM matchmaking.standings AS s WHERE s.player_id = $1),
    'relations', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]')
                  FROM matchmaking.relations AS r WHERE r.player_id = $1),
    'reports_made', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]')
                     FROM matchmaking.reports AS r WHERE r.reporter_id = $1),
    'reports_about', (SELECT coalesce(jsonb_agg(to_jsonb(r) - 'reporter_id'), '[]')
                      FROM matchmaking.reports AS r WHERE r.player_id = $1),
    'tickets', (SELECT coalesce(jsonb_agg(to_jsonb(t) - 'changed_by' ORDER BY t.create_time), '[]')
                FROM matchmaking.tickets AS t WHERE t.player_id = $1),
    'seats', (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]')
              FROM matchmaking.table_seats AS s WHERE s.player_id = $1),
    'room_seats', (SELECT coalesce(jsonb_agg(to_jsonb(s) - 'request_id'), '[]')
                   FROM matchmaking.room_seats AS s WHERE s.player_id = $1)
  )::text)sql"};

constexpr pg::Statement kFindPlayersTable{"matchmaking_find_players_table", R"sql(
  SELECT table_id FROM matchmaking.tickets
  WHERE player_id = $1 AND state IN ('placing', 'matched') LIMIT 1)sql"};

constexpr pg::Statement kDeletePlayer{"matchmaking_delete_player", R"sql(
  WITH relations AS (
    DELETE FROM matchmaking.relations WHERE player_id = $1 OR other_id = $1
  ), reports AS (
    DELETE FROM matchmaking.reports WHERE reporter_id = $1 OR player_id = $1
  ), standings AS (
    DELETE FROM matchmaking.standings WHERE player_id = $1
  ), tickets AS (
    DELETE FROM matchmaking.tickets
    WHERE player_id = $1 AND state NOT IN ('placing', 'matched')
  ), seats AS (
    UPDATE matchmaking.table_seats SET display_name = $2
    WHERE player_id = $1 AND display_name <> $2
  ), room_seats AS (
    UPDATE matchmaking.room_seats SET display_name = $2
    WHERE player_id = $1 AND display_name <> $2
  )
  DELETE FROM matchmaking.players WHERE player_id = $1)sql"};

KnownPlayer KnownPlayerFrom(const pqxx::row& row) {
  KnownPlayer known{.player = IdFrom<PlayerId>(row["player_id"]),
                    .display_name = row["display_name"].as<std::string>(),
                    .relation = static_cast<Relation>(row["relation"].as<int>())};
  if (known.relation == Relation::kFriend) known.presence = PresenceFrom(row);
  return known;
}

PlayerReport ReportFrom(const pqxx::row& row) {
  return {.reporter = IdFrom<PlayerId>(row["reporter_id"]),
          .player = IdFrom<PlayerId>(row["player_id"]),
          .table = IdFrom<TableId>(row["table_id"]),
          .deal_number = row["deal_number"].as<int>(),
          .reason = ReasonFrom(row["reason"].as<std::string>()),
          .report_time = TimeFrom(row["report_time"])};
}

std::string PlayersText(absl::Span<const PlayerId> players) {
  return ArrayText(players, [](PlayerId player) { return player.ToString(); });
}

class PgPlayerStore final : public PlayerStore {
 public:
  explicit PgPlayerStore(std::shared_ptr<pg::Pool> pool) : pool_(std::move(pool)) {}

  absl::Status See(PlayerId player, const std::string& display_name, absl::Time now) override {
    return Change(kSeePlayer, player.ToString(), display_name, TimeText(now));
  }

  absl::Status SeeAgain(absl::Span<const PlayerId> players, absl::Time now) override {
    return Change(kSeePlayersAgain, PlayersText(players), TimeText(now));
  }

  absl::StatusOr<bool> HasSeen(PlayerId player) override {
    return Value<bool>(kHasSeenPlayer, player.ToString());
  }

  absl::Status ForgetPlayers(absl::Time unused_since, absl::Time report_before) override {
    const absl::Status players =
        Change(kForgetPlayers, TimeText(unused_since), kPlayersForgottenMax);
    const absl::Status reports =
        Change(kForgetReports, TimeText(report_before), kPlayersForgottenMax);
    return players.ok() ? reports : players;
  }

  absl::StatusOr<int> ForgetGuests(absl::Time seen_from, absl::Time seen_until) override {
    return Value<int>(kForgetGuests, TimeText(seen_from), TimeText(seen_until),
                      kGuestsForgottenMax);
  }

  absl::Status ForgetTickets(absl::Time created_until) override {
    return Change(kForgetTickets, TimeText(created_until), kGuestsForgottenMax);
  }
  absl::Status ForgetMatches(absl::Time placed_until) override {
    return Change(kForgetMatches, TimeText(placed_until), kMatchesForgottenMax);
  }

  absl::StatusOr<FriendOutcome> AskFriend(PlayerId player, PlayerId other, bool accepts,
                                          absl::Time now) override {
    TAROT_ASSIGN_OR_RETURN(const std::string outcome,
                           ChangePair<std::string>(kAskFriend, player, other, TimeText(now),
                                                   accepts, kFriendsAskedMax, kFriendsAskingMax));
    return FriendOutcomeFrom(outcome);
  }

  absl::Status RemoveFriend(PlayerId player, PlayerId other) override {
    return ChangePair<bool>(kRemoveFriend, player, other).status();
  }

  absl::StatusOr<bool> Block(PlayerId player, PlayerId other, absl::Time now) override {
    return ChangePair<bool>(kBlockPlayer, player, other, TimeText(now), kBlocksMax);
  }

  absl::Status Unblock(PlayerId player, PlayerId other) override {
    return ChangePair<bool>(kUnblockPlayer, player, other).status();
  }

  absl::StatusOr<std::vector<KnownPlayer>> ListFriends(const FriendPage& page) override {
    const FriendKey after = page.after.value_or(FriendKey());
    const int relation = page.after ? static_cast<int>(after.relation) : 0;
    return Rows<KnownPlayer>(kListFriends, KnownPlayerFrom, page.player.ToString(), relation,
                             after.player.ToString(), page.size, TimeText(page.online_since));
  }

  absl::StatusOr<bool> HasBlock(absl::Span<const PlayerId> some,
                                absl::Span<const PlayerId> others) override {
    return Value<bool>(kHasBlock, PlayersText(some), PlayersText(others));
  }

  absl::StatusOr<ReportOutcome> Report(const PlayerReport& report) override {
    TAROT_ASSIGN_OR_RETURN(
        const std::string outcome,
        Value<std::string>(kReportPlayer, report.reporter.ToString(), report.player.ToString(),
                           report.table.ToString(), report.deal_number,
                           std::string(kReasons[static_cast<std::size_t>(report.reason)]),
                           TimeText(report.report_time), kReportsPerDayMax,
                           TimeText(report.report_time - kReportedTableMax)));
    return ReportOutcomeFrom(outcome);
  }

  absl::StatusOr<std::vector<PlayerReport>> ListReports(const ReportPage& page) override {
    const PlayerReport after = page.after.value_or(PlayerReport());
    const std::string time = page.after ? TimeText(after.report_time) : "infinity";
    return Rows<PlayerReport>(kListReports, ReportFrom, page.size, time, after.reporter.ToString(),
                              after.player.ToString(), after.table.ToString(), after.deal_number);
  }

  absl::StatusOr<std::string> ExportPlayer(PlayerId player) override {
    return Value<std::string>(kExportPlayer, player.ToString());
  }

  absl::StatusOr<TableId> DeletePlayer(PlayerId player) override {
    return pool_->With(kDeletePlayer, [&](pqxx::connection& connection) -> absl::StatusOr<TableId> {
      pqxx::work tx(connection);
      const std::string id = player.ToString();
      const pqxx::result tables = tx.exec_prepared(kFindPlayersTable.name, id);
      if (!tables.empty()) return IdFrom<TableId>(tables[0][0]);
      tx.exec_prepared0(kDeletePlayer.name, id, kDeletedName);
      tx.commit();
      return TableId();
    });
  }

 private:
  template <typename... Args>
  absl::Status Change(const pg::Statement& statement, const Args&... args) {
    return pool_->With(statement, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction tx(connection);
      tx.exec_prepared0(statement.name, args...);
      return absl::OkStatus();
    });
  }

  template <typename T, typename... Args>
  absl::StatusOr<T> Value(const pg::Statement& statement, const Args&... args) {
    return pool_->With(statement, [&](pqxx::connection& connection) -> absl::StatusOr<T> {
      pqxx::nontransaction tx(connection);
      return tx.exec_prepared1(statement.name, args...)[0].template as<T>();
    });
  }

  // Locks two players, runs a statement that changes the relations of these players, and returns
  // the value of the statement. The statement begins after the players are locked, so it sees all
  // earlier changes.
  template <typename T, typename... Args>
  absl::StatusOr<T> ChangePair(const pg::Statement& statement, PlayerId player, PlayerId other,
                               const Args&... args) {
    return pool_->With(statement, [&](pqxx::connection& connection) -> absl::StatusOr<T> {
      pqxx::work tx(connection);
      tx.exec_prepared(kLockPlayers.name, player.ToString(), other.ToString());
      const T value =
          tx.exec_prepared1(statement.name, player.ToString(), other.ToString(), args...)[0]
              .template as<T>();
      tx.commit();
      return value;
    });
  }

  template <typename T, typename... Args>
  absl::StatusOr<std::vector<T>> Rows(const pg::Statement& statement, T (*from)(const pqxx::row&),
                                      const Args&... args) {
    return pool_->With(statement,
                       [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<T>> {
                         pqxx::nontransaction tx(connection);
                         std::vector<T> rows;
                         for (const pqxx::row& row : tx.exec_prepared(statement.name, args...)) {
                           rows.push_back(from(row));
                         }
                         return rows;
                       });
  }

  const std::shared_ptr<pg::Pool> pool_;
};

}  // namespace

std::vector<pg::Statement> PlayerStatements() {
  return {kSeePlayer,     kSeePlayersAgain, kHasSeenPlayer, kForgetPlayers,    kForgetGuests,
          kForgetTickets, kForgetMatches,   kForgetReports, kAskFriend,        kRemoveFriend,
          kBlockPlayer,   kUnblockPlayer,   kListFriends,   kHasBlock,         kReportPlayer,
          kListReports,   kLockPlayers,     kExportPlayer,  kFindPlayersTable, kDeletePlayer};
}

std::unique_ptr<PlayerStore> MakePgPlayerStore(std::shared_ptr<pg::Pool> pool) {
  return std::make_unique<PgPlayerStore>(std::move(pool));
}

}  // namespace tarot::matchmaking_service
