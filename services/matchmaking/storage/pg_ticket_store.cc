#include "services/matchmaking/storage/pg_ticket_store.h"

#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/pg/pool.h"
#include "services/matchmaking/storage/sql_values.h"

namespace tarot::matchmaking_service {
namespace {

TicketState StateFrom(const std::string& text) {
  static const auto& states = *new std::map<std::string, TicketState>{
      {"waiting", TicketState::kWaiting}, {"placing", TicketState::kPlacing},
      {"matched", TicketState::kMatched}, {"cancelled", TicketState::kCancelled},
      {"closed", TicketState::kClosed},
  };
  return states.at(text);
}

Ticket TicketFrom(const pqxx::row& row) {
  return {.id = IdFrom<TicketId>(row["ticket_id"]),
          .queue = row["queue_id"].as<std::string>(),
          .player = IdFrom<PlayerId>(row["player_id"]),
          .display_name = row["display_name"].as<std::string>(),
          .bot_level = row["bot_level"].as<std::string>(),
          .state = StateFrom(row["state"].as<std::string>()),
          .create_time = TimeFrom(row["create_time"]),
          .table = IdFrom<TableId>(row["table_id"]),
          .last_tables = {IdFrom<TableId>(row["last_table_id"]),
                          IdFrom<TableId>(row["second_last_table_id"]),
                          IdFrom<TableId>(row["third_last_table_id"])},
          .party = IdFrom<RoomId>(row["party_id"]),
          .party_size = row["party_size"].as<int>(),
          .network = row["network"].is_null() ? "" : row["network"].as<std::string>(),
          .region = row["region"].as<std::string>()};
}

// Every statement is one atomic step. If two statements compete for a ticket or for a game table,
// only one of them succeeds: each statement checks the column `state` of the row.

constexpr pg::Statement kListQueues{"matchmaking_list_queues", R"sql(
  SELECT queue_id, display_name, player_count, rule_set, NULL::text AS rule_values, deal_count,
         move_limit_seconds, time_bank_seconds, ranked, bot_fill_delay_seconds, required_matches,
         false AS take_back, false AS breaks
  FROM matchmaking.queues WHERE open ORDER BY ranked DESC, queue_id)sql"};

constexpr pg::Statement kListBots{
    "matchmaking_list_bots",
    "SELECT player_id, display_name, level FROM matchmaking.bots ORDER BY place"};

constexpr pg::Statement kReadPopulation{"matchmaking_read_population",
                                        "SELECT size FROM matchmaking.population"};

constexpr pg::Statement kSetPopulation{"matchmaking_set_population", R"sql(
  INSERT INTO matchmaking.population (size) VALUES ($1)
  ON CONFLICT (only_row) DO UPDATE SET size = excluded.size)sql"};

constexpr pg::Statement kListClosedQueues{
    "matchmaking_list_closed_queues",
    "SELECT queue_id FROM matchmaking.queues WHERE closed ORDER BY queue_id"};

// Finds only the queues of the catalog: a removed queue is neither open nor closed.
constexpr pg::Statement kSetQueueOpen{"matchmaking_set_queue_open", R"sql(
  UPDATE matchmaking.queues SET open = $2, closed = NOT $2
  WHERE queue_id = $1 AND (open OR closed) RETURNING queue_id)sql"};

// kSetQueueOpen runs before this statement, and waits for every kCreateTicket in flight. So this
// statement finds all tickets of the queue. It locks the tickets in the same order as kPlaceTables.
constexpr pg::Statement kCancelInQueue{"matchmaking_cancel_in_queue", R"sql(
  WITH picked AS (
    SELECT ticket_id FROM matchmaking.tickets WHERE queue_id = $1 AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  )
  UPDATE matchmaking.tickets AS t SET state = 'cancelled', network = NULL FROM picked
  WHERE t.ticket_id = picked.ticket_id AND t.state = 'waiting'
  RETURNING t.*)sql"};

constexpr pg::Statement kListLive{"matchmaking_list_live_tickets", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE player_id = $1 AND state IN ('waiting', 'placing', 'matched'))sql"};

// Removes the queues whose ids are not in the array.
constexpr pg::Statement kCloseQueues{"matchmaking_close_queues", R"sql(
  UPDATE matchmaking.queues SET open = false, closed = false
  WHERE (open OR closed) AND queue_id <> ALL($1::text[]))sql"};

// kCloseQueues runs before this statement, and waits for every kCreateTicket in flight. So this
// statement finds all tickets of the queues that are not open.
constexpr pg::Statement kCancelInClosedQueues{"matchmaking_cancel_in_closed_queues", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'cancelled', network = NULL
  FROM matchmaking.queues AS q
  WHERE t.queue_id = q.queue_id AND NOT q.open AND t.state = 'waiting')sql"};

// Cancels the waiting tickets of a party if their queue is ranked now or has too few seats for the
// party.
constexpr pg::Statement kCancelParties{"matchmaking_cancel_parties", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'cancelled', network = NULL
  FROM matchmaking.queues AS q
  WHERE t.queue_id = q.queue_id AND t.state = 'waiting' AND t.party_id IS NOT NULL
    AND (q.ranked OR t.party_size > q.player_count))sql"};

constexpr pg::Statement kWriteQueue{"matchmaking_write_queue", R"sql(
  INSERT INTO matchmaking.queues (queue_id, display_name, player_count, rule_set, deal_count,
                                  move_limit_seconds, time_bank_seconds, ranked,
                                  bot_fill_delay_seconds, required_matches, open)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true)
  ON CONFLICT (queue_id) DO UPDATE
    SET display_name = excluded.display_name, player_count = excluded.player_count,
        rule_set = excluded.rule_set, deal_count = excluded.deal_count,
        move_limit_seconds = excluded.move_limit_seconds,
        time_bank_seconds = excluded.time_bank_seconds, ranked = excluded.ranked,
        bot_fill_delay_seconds = excluded.bot_fill_delay_seconds,
        required_matches = excluded.required_matches, open = NOT queues.closed)sql"};

constexpr pg::Statement kReadRoundTrips{"matchmaking_read_round_trips", R"sql(
  SELECT region, other_region, milliseconds FROM matchmaking.round_trips
  ORDER BY region, other_region)sql"};

constexpr pg::Statement kDeleteRoundTrips{"matchmaking_delete_round_trips",
                                          "DELETE FROM matchmaking.round_trips"};

constexpr pg::Statement kWriteRoundTrips{"matchmaking_write_round_trips", R"sql(
  INSERT INTO matchmaking.round_trips (region, other_region, milliseconds)
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]))sql"};

constexpr pg::Statement kDeleteBots{"matchmaking_delete_bots", "DELETE FROM matchmaking.bots"};

constexpr pg::Statement kWriteBots{"matchmaking_write_bots", R"sql(
  INSERT INTO matchmaking.bots (player_id, display_name, level, place)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY)sql"};

// Returns no row in two cases: the queue is not open, or the player already has a ticket that
// kFindTicket finds. This is a ticket of the same request, or a live ticket in the queue.
constexpr pg::Statement kCreateTicket{"matchmaking_create_ticket", R"sql(
  WITH last_matches AS (
    SELECT ARRAY(SELECT table_id FROM matchmaking.tickets
                 WHERE player_id = $3::uuid AND state = 'closed'
                 ORDER BY create_time DESC LIMIT 3) AS tables
  )
  INSERT INTO matchmaking.tickets AS t (ticket_id, queue_id, player_id, display_name, bot_level,
                                        request_id, state, create_time, last_table_id,
                                        second_last_table_id, third_last_table_id,
                                        party_id, party_size, network, region)
  SELECT $1::uuid, q.queue_id, $3::uuid, $4::text, $5::text, $6::uuid, 'waiting', $7::timestamptz,
         m.tables[1], m.tables[2], m.tables[3], $8::uuid, $9::integer,
         $10::text, $11::text
  FROM matchmaking.queues AS q, last_matches AS m WHERE q.queue_id = $2 AND q.open FOR SHARE OF q
  ON CONFLICT DO NOTHING
  RETURNING t.*)sql"};

constexpr pg::Statement kFindTicket{"matchmaking_find_ticket", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE player_id = $1
    AND (request_id = $3
         OR (queue_id = $2 AND state IN ('waiting', 'placing', 'matched')))
  ORDER BY request_id = $3 DESC LIMIT 1)sql"};

constexpr pg::Statement kFindRequest{"matchmaking_find_request", R"sql(
  SELECT * FROM matchmaking.tickets WHERE player_id = $1 AND request_id = $2)sql"};

constexpr pg::Statement kGetTickets{
    "matchmaking_get_tickets",
    "SELECT * FROM matchmaking.tickets WHERE ticket_id = ANY($1::uuid[])"};

// Cancels the player's ticket and returns it. If the player sits in the room of the party, also
// cancels the waiting tickets of the party's other persons in the same queue. Locks the tickets in
// the same order as kPlaceTables. Deletes the older cancelled tickets of these players. So if a
// party queues and leaves in a loop, each player has only one row. This row answers repeats of the
// last request.
constexpr pg::Statement kCancelTicket{"matchmaking_cancel_ticket", R"sql(
  WITH own AS (
    SELECT ticket_id, queue_id, party_id FROM matchmaking.tickets
    WHERE ticket_id = $1 AND player_id = $2 AND state = 'waiting'
  ), company AS (
    SELECT s.player_id FROM own
    JOIN matchmaking.rooms AS r ON r.room_id = own.party_id AND r.end_time IS NULL
    JOIN matchmaking.room_seats AS s ON s.room_id = r.room_id AND s.bot_level = ''
  ), picked AS (
    SELECT t.ticket_id FROM matchmaking.tickets AS t, own
    WHERE t.state = 'waiting'
      AND (t.ticket_id = own.ticket_id
           OR (t.party_id = own.party_id AND t.queue_id = own.queue_id
               AND t.player_id IN (SELECT player_id FROM company)
               AND $2 IN (SELECT player_id FROM company)))
    ORDER BY t.ticket_id FOR UPDATE OF t
  ), cancelled AS (
    UPDATE matchmaking.tickets AS t SET state = 'cancelled', network = NULL FROM picked
    WHERE t.ticket_id = picked.ticket_id AND t.state = 'waiting'
    RETURNING t.*
  ), forgotten AS (
    DELETE FROM matchmaking.tickets AS t USING cancelled
    WHERE t.player_id = cancelled.player_id AND t.ticket_id <> cancelled.ticket_id
      AND t.state = 'cancelled'
  )
  SELECT * FROM cancelled WHERE ticket_id = $1)sql"};

// next_cursor is the number of the oldest transaction that is running now. All transactions with
// lower numbers have ended, so this read shows their changes. The next read finds the changes of
// all other transactions, because they have this number or a higher number. After a restore, rows
// have transaction numbers of the old database, which may be above all numbers of the new database.
// The upper limit leaves these rows out. The result has at least one row. If there is no change,
// the ticket_id of this row is NULL.
#define TAROT_READ_TICKETS(condition)                                                            \
  "SELECT pg_snapshot_xmin(pg_current_snapshot()) AS next_cursor,"                               \
  "  t.ticket_id, t.queue_id, t.player_id, t.display_name, t.bot_level, t.state, t.create_time," \
  "  t.table_id, t.last_table_id, t.second_last_table_id, t.third_last_table_id,"                \
  "  company.room_id AS party_id, coalesce(company.persons, 1) AS party_size, t.network,"        \
  "  t.region,"                                                                                  \
  "  (SELECT coalesce(string_agg(b.other_id::text, ','), '') FROM matchmaking.relations AS b"    \
  "   WHERE b.player_id = t.player_id AND b.kind = 'blocks') AS blocked"                         \
  " FROM (SELECT) AS one"                                                                        \
  " LEFT JOIN matchmaking.tickets AS t ON " condition                                            \
  " LEFT JOIN LATERAL ("                                                                         \
  "   SELECT r.room_id, count(*)::integer AS persons"                                            \
  "   FROM matchmaking.rooms AS r"                                                               \
  "   JOIN matchmaking.room_seats AS s ON s.room_id = r.room_id"                                 \
  "   WHERE r.room_id = t.party_id AND r.end_time IS NULL"                                       \
  "     AND s.player_id IS NOT NULL AND s.bot_level = ''"                                        \
  "   GROUP BY r.room_id"                                                                        \
  "   HAVING bool_or(s.player_id = t.player_id)"                                                 \
  " ) AS company ON t.party_id IS NOT NULL"
constexpr pg::Statement kReadWaiting{"matchmaking_read_waiting",
                                     TAROT_READ_TICKETS("t.state = 'waiting'")};
constexpr pg::Statement kReadChanged{
    "matchmaking_read_changed",
    TAROT_READ_TICKETS("t.changed_by >= $1::xid8"
                       " AND t.changed_by < pg_snapshot_xmax(pg_current_snapshot())")};
#undef TAROT_READ_TICKETS

constexpr pg::Statement kListLiveBots{"matchmaking_list_live_bots", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE bot_level <> '' AND state IN ('waiting', 'placing', 'matched'))sql"};

// Parameters $1 to $10 are arrays with one element for each game table, and $11 to $16 are arrays
// with one element for each seat. Locks the tickets first, always in the same order, so that two
// statements cannot block each other forever. Leaves out a game table in two cases: one of its
// tickets no longer waits, or a bot that fills a free seat has a live ticket. Returns one row for
// each placed ticket, with its game table.
constexpr pg::Statement kPlaceTables{"matchmaking_place_tables", R"sql(
  WITH planned AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::timestamptz[], $5::text[],
                         $6::text[], $7::integer[], $8::integer[], $9::integer[], $10::boolean[])
      AS p (table_id, queue_id, rating_spread, create_time, rule_set, rule_values, deal_count,
            move_limit_seconds, time_bank_seconds, ranked)
  ), seats AS (
    SELECT * FROM unnest($11::uuid[], $12::integer[], $13::uuid[], $14::text[], $15::text[],
                         $16::uuid[])
      AS s (table_id, seat, player_id, display_name, bot_level, ticket_id)
  ), picked AS (
    SELECT ticket_id FROM matchmaking.tickets
    WHERE ticket_id = ANY($16::uuid[]) AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  ), possible AS (
    SELECT s.table_id FROM seats s LEFT JOIN picked USING (ticket_id)
    GROUP BY s.table_id
    HAVING count(s.ticket_id) = count(picked.ticket_id)
      AND NOT bool_or(s.ticket_id IS NULL
                      AND EXISTS (SELECT FROM matchmaking.tickets t
                                  WHERE t.player_id = s.player_id
                                    AND t.state IN ('waiting', 'placing', 'matched')))
  ), made AS (
    INSERT INTO matchmaking.tables (table_id, queue_id, state, rating_spread, create_time,
                                    rule_set, rule_values, deal_count, move_limit_seconds,
                                    time_bank_seconds, ranked)
    SELECT p.table_id, p.queue_id, 'placed', p.rating_spread, p.create_time, p.rule_set,
           p.rule_values, p.deal_count, p.move_limit_seconds, p.time_bank_seconds, p.ranked
    FROM planned p JOIN possible USING (table_id)
    RETURNING table_id
  ), seated AS (
    INSERT INTO matchmaking.table_seats (table_id, seat, player_id, display_name, bot_level,
                                         ticket_id)
    SELECT s.table_id, s.seat, s.player_id, s.display_name, s.bot_level, s.ticket_id
    FROM made JOIN seats s USING (table_id)
  )
  UPDATE matchmaking.tickets AS t SET state = 'placing', table_id = s.table_id
  FROM made JOIN seats AS s USING (table_id)
  WHERE t.ticket_id = s.ticket_id
  RETURNING t.table_id)sql"};

constexpr pg::Statement kListPlaced{"matchmaking_list_placed", R"sql(
  SELECT t.table_id, coalesce(t.queue_id, '') AS queue_id, t.rating_spread, t.create_time,
         coalesce(t.rule_set, q.rule_set) AS rule_set, t.rule_values,
         coalesce(t.deal_count, q.deal_count) AS deal_count,
         coalesce(t.move_limit_seconds, q.move_limit_seconds) AS move_limit_seconds,
         coalesce(t.time_bank_seconds, q.time_bank_seconds) AS time_bank_seconds,
         coalesce(t.ranked, q.ranked) AS ranked, t.take_back, t.breaks,
         s.player_id, s.display_name, s.bot_level, s.ticket_id
  FROM matchmaking.tables t
  LEFT JOIN matchmaking.queues q USING (queue_id)
  JOIN matchmaking.table_seats s USING (table_id)
  WHERE t.state = 'placed' ORDER BY t.create_time, t.table_id, s.seat)sql"};

// kConfirmTables and kRefuseTables lock the rows of the game tables in the order of their ids, so
// that two statements cannot block each other forever.
#define TAROT_MATCHMAKING_ANSWER(table_state, ticket_state)                              \
  "WITH picked AS ("                                                                     \
  "  SELECT table_id FROM matchmaking.tables"                                            \
  "  WHERE table_id = ANY($1::uuid[]) AND state = 'placed' ORDER BY table_id FOR UPDATE" \
  "), answered AS ("                                                                     \
  "  UPDATE matchmaking.tables AS t SET state = '" table_state                           \
  "' FROM picked"                                                                        \
  "  WHERE t.table_id = picked.table_id AND t.state = 'placed' RETURNING t.table_id"     \
  ") UPDATE matchmaking.tickets AS t SET " ticket_state                                  \
  " FROM answered JOIN matchmaking.table_seats AS s ON s.table_id = answered.table_id"   \
  " WHERE t.ticket_id = s.ticket_id AND t.table_id IS NOT DISTINCT FROM s.table_id"      \
  "   AND t.state = 'placing' RETURNING t.*"

constexpr pg::Statement kConfirmTables{
    "matchmaking_confirm_tables",
    TAROT_MATCHMAKING_ANSWER("made", "state = 'matched', network = NULL")};
constexpr pg::Statement kRefuseTables{
    "matchmaking_refuse_tables",
    TAROT_MATCHMAKING_ANSWER("refused", "state = 'waiting', table_id = NULL")};

// If the match was already over, returns no row. Normally returns one row for each person at the
// game table. If no person sits there, or if the game table belongs to a room, returns one row with
// NULL as the player.
constexpr pg::Statement kEndTable{"matchmaking_end_table", R"sql(
  WITH ended AS (
    UPDATE matchmaking.tables SET state = 'over'
    WHERE table_id = $1 AND state IN ('placed', 'made')
    RETURNING table_id, queue_id, coalesce(ranked, false) AS ranked
  )
  SELECT ended.ranked, s.player_id FROM ended
  LEFT JOIN matchmaking.table_seats s
    ON s.table_id = ended.table_id AND s.bot_level = '' AND ended.queue_id IS NOT NULL
  ORDER BY s.player_id)sql"};

constexpr pg::Statement kCloseTickets{"matchmaking_close_tickets", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'closed', network = NULL
  FROM matchmaking.table_seats AS s
  WHERE s.table_id = $1 AND t.ticket_id = s.ticket_id AND t.table_id IS NOT DISTINCT FROM s.table_id
    AND t.state IN ('placing', 'matched')
  RETURNING t.*)sql"};

constexpr pg::Statement kGetStanding{"matchmaking_get_standing", R"sql(
  SELECT finished_count, leave_steps, leave_time, finished_since, penalty_end
  FROM matchmaking.standings WHERE player_id = $1)sql"};

// If the standing of a player is missing, inserts it. Locks the row of the standing.
constexpr pg::Statement kLockStanding{"matchmaking_lock_standing", R"sql(
  INSERT INTO matchmaking.standings AS s (player_id) VALUES ($1)
  ON CONFLICT (player_id) DO UPDATE SET finished_count = s.finished_count
  RETURNING finished_count, leave_steps, leave_time, finished_since, penalty_end)sql"};

constexpr pg::Statement kWriteStanding{"matchmaking_write_standing", R"sql(
  UPDATE matchmaking.standings
  SET finished_count = $2, leave_steps = $3, leave_time = $4, finished_since = $5,
      penalty_end = $6
  WHERE player_id = $1)sql"};

Standing StandingFrom(const pqxx::row& row) {
  const auto time = [&](const char* column) {
    return row[column].is_null() ? absl::InfinitePast() : TimeFrom(row[column]);
  };
  return {.finished_count = row["finished_count"].as<int>(),
          .leave_steps = row["leave_steps"].as<double>(),
          .leave_time = time("leave_time"),
          .finished_since = row["finished_since"].as<int>(),
          .penalty_end = time("penalty_end")};
}

void WriteStanding(pqxx::work& tx, const std::string& player, const Standing& standing) {
  const auto text = [](absl::Time time) {
    return time == absl::InfinitePast() ? std::optional<std::string>() : TimeText(time);
  };
  const std::optional<std::string> leave = text(standing.leave_time);
  const std::optional<std::string> penalty = text(standing.penalty_end);
  tx.exec_prepared0(kWriteStanding.name, player, standing.finished_count, standing.leave_steps,
                    OrNull(leave), standing.finished_since, OrNull(penalty));
}

class PgTicketStore final : public TicketStore {
 public:
  explicit PgTicketStore(std::shared_ptr<pg::Pool> pool) : pool_(std::move(pool)) {}

  absl::StatusOr<Catalog> ReadCatalog() override {
    return pool_->With(kListQueues, [](pqxx::connection& connection) -> absl::StatusOr<Catalog> {
      pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> tx(connection);
      Catalog catalog;
      for (const pqxx::row& row : tx.exec_prepared(kListQueues.name)) {
        catalog.queues.push_back(
            {.id = row["queue_id"].as<std::string>(),
             .display_name = row["display_name"].as<std::string>(),
             .player_count = row["player_count"].as<int>(),
             .terms = TermsFrom(row),
             .bot_fill_delay = absl::Seconds(row["bot_fill_delay_seconds"].as<int>()),
             .required_matches = row["required_matches"].as<int>()});
      }
      for (const pqxx::row& row : tx.exec_prepared(kListBots.name)) {
        catalog.bots.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                                .display_name = row["display_name"].as<std::string>(),
                                .level = row["level"].as<std::string>()});
      }
      for (const pqxx::row& row : tx.exec_prepared(kReadRoundTrips.name)) {
        catalog.round_trips.push_back({.region = row["region"].as<std::string>(),
                                       .other_region = row["other_region"].as<std::string>(),
                                       .milliseconds = row["milliseconds"].as<int>()});
      }
      for (const pqxx::row& row : tx.exec_prepared(kReadPopulation.name)) {
        catalog.population = row[0].as<int>();
      }
      return catalog;
    });
  }

  absl::Status WriteCatalog(const Catalog& catalog) override {
    return pool_->With(kWriteQueue, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::work tx(connection);
      const auto seconds = [](absl::Duration duration) { return absl::ToInt64Seconds(duration); };
      tx.exec_prepared0(kCloseQueues.name, ArrayText(catalog.queues, [](const Queue& queue) {
                          return Quoted(queue.id);
                        }));
      tx.exec_prepared0(kCancelInClosedQueues.name);
      for (const Queue& queue : catalog.queues) {
        const MatchTerms& terms = queue.terms;
        tx.exec_prepared0(kWriteQueue.name, queue.id, queue.display_name, queue.player_count,
                          terms.rule_set, terms.deal_count, seconds(terms.move_limit),
                          seconds(terms.time_bank), terms.ranked, seconds(queue.bot_fill_delay),
                          queue.required_matches);
      }
      tx.exec_prepared0(kCancelParties.name);
      tx.exec_prepared0(kDeleteBots.name);
      const auto of_bots = [&](auto to_text) { return ArrayText(catalog.bots, to_text); };
      tx.exec_prepared0(kWriteBots.name,
                        of_bots([](const Bot& bot) { return bot.player.ToString(); }),
                        of_bots([](const Bot& bot) { return Quoted(bot.display_name); }),
                        of_bots([](const Bot& bot) { return Quoted(bot.level); }));
      tx.exec_prepared0(kDeleteRoundTrips.name);
      const auto of_trips = [&](auto to_text) { return ArrayText(catalog.round_trips, to_text); };
      tx.exec_prepared0(
          kWriteRoundTrips.name,
          of_trips([](const RoundTrip& trip) { return Quoted(trip.region); }),
          of_trips([](const RoundTrip& trip) { return Quoted(trip.other_region); }),
          of_trips([](const RoundTrip& trip) { return absl::StrCat(trip.milliseconds); }));
      tx.commit();
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<std::string>> ListClosedQueues() override {
    using Ids = std::vector<std::string>;
    return pool_->With(kListClosedQueues, [](pqxx::connection& connection) -> absl::StatusOr<Ids> {
      pqxx::nontransaction tx(connection);
      Ids ids;
      for (const pqxx::row& row : tx.exec_prepared(kListClosedQueues.name)) {
        ids.push_back(row[0].as<std::string>());
      }
      return ids;
    });
  }

  absl::StatusOr<std::vector<Ticket>> SetQueueOpen(const std::string& queue, bool open) override {
    using Tickets = std::vector<Ticket>;
    return pool_->With(kSetQueueOpen, [&](pqxx::connection& connection) -> absl::StatusOr<Tickets> {
      pqxx::work tx(connection);
      if (tx.exec_prepared(kSetQueueOpen.name, queue, open).empty()) {
        return absl::NotFoundError("No such queue.");
      }
      Tickets cancelled;
      if (!open) {
        for (const pqxx::row& row : tx.exec_prepared(kCancelInQueue.name, queue)) {
          cancelled.push_back(TicketFrom(row));
        }
      }
      tx.commit();
      return cancelled;
    });
  }

  absl::Status SetPopulation(int population) override {
    return pool_->With(kSetPopulation, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction(connection).exec_prepared0(kSetPopulation.name, population);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<Ticket>> ListLive(PlayerId player) override {
    return Tickets(kListLive, player.ToString());
  }

  absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) override {
    using Outcome = CreatedTicket::Outcome;
    const std::string player = ticket.player.ToString();
    const std::string request = ticket.request_id.ToString();
    std::optional<std::string> party;
    if (!ticket.party.empty()) party = ticket.party.ToString();
    std::optional<std::string> network;
    if (!ticket.network.empty()) network = ticket.network;
    TAROT_ASSIGN_OR_RETURN(
        const std::vector<Ticket> created,
        Tickets(kCreateTicket, ticket.id.ToString(), ticket.queue, player, ticket.display_name,
                ticket.bot_level, request, TimeText(ticket.create_time), OrNull(party),
                ticket.party_size, OrNull(network), ticket.region));
    if (!created.empty()) return CreatedTicket{Outcome::kCreated, created[0]};
    return pool_->With(
        kFindTicket, [&](pqxx::connection& connection) -> absl::StatusOr<CreatedTicket> {
          pqxx::nontransaction tx(connection);
          const pqxx::result rows =
              tx.exec_prepared(kFindTicket.name, player, ticket.queue, request);
          // kFindTicket finds no row in two cases: the queue is not open, or the ticket that
          // stopped kCreateTicket has ended in the meantime.
          if (rows.empty()) {
            return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Please try again.");
          }
          const bool replayed = rows[0]["request_id"].as<std::string>() == request;
          return CreatedTicket{replayed ? Outcome::kReplayed : Outcome::kHasAnother,
                               TicketFrom(rows[0])};
        });
  }

  absl::StatusOr<std::vector<Ticket>> FindRequest(PlayerId player, RequestId request) override {
    return Tickets(kFindRequest, player.ToString(), request.ToString());
  }

  absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) override {
    return Tickets(kGetTickets, ArrayText(ids, [](TicketId id) { return id.ToString(); }));
  }

  absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) override {
    TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> cancelled,
                           Tickets(kCancelTicket, id.ToString(), player.ToString()));
    if (!cancelled.empty()) return cancelled[0];
    // kCancelTicket has cancelled nothing. Perhaps it has read the ticket before a change of the
    // ticket. So a second statement reads the present state.
    TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, Get({id}));
    if (tickets.empty() || tickets[0].player != player) {
      return absl::NotFoundError("No such ticket.");
    }
    return tickets[0];
  }

  absl::StatusOr<TicketChanges> ReadChanges(std::uint64_t cursor) override {
    const pg::Statement& statement = cursor == 0 ? kReadWaiting : kReadChanged;
    return pool_->With(
        statement, [&](pqxx::connection& connection) -> absl::StatusOr<TicketChanges> {
          pqxx::nontransaction tx(connection);
          const pqxx::result rows = cursor == 0
                                        ? tx.exec_prepared(statement.name)
                                        : tx.exec_prepared(statement.name, absl::StrCat(cursor));
          TicketChanges changes;
          for (const pqxx::row& row : rows) {
            changes.next_cursor = row["next_cursor"].as<std::uint64_t>();
            if (row["ticket_id"].is_null()) continue;
            TicketChange& change = changes.tickets.emplace_back(TicketChange{TicketFrom(row)});
            if (change.ticket.state == TicketState::kWaiting) {
              change.blocked = PlayersFrom(row["blocked"]);
            }
          }
          return changes;
        });
  }

  absl::StatusOr<std::vector<Ticket>> ListLiveBots() override { return Tickets(kListLiveBots); }

  absl::StatusOr<std::set<TableId>> Place(absl::Span<const PlannedTable> tables) override {
    const auto of_tables = [&](auto to_text) { return ArrayText(tables, to_text); };
    std::vector<std::pair<const PlannedTable*, std::size_t>> seats;
    for (const PlannedTable& table : tables) {
      for (std::size_t i = 0; i < table.seats.size(); ++i) seats.emplace_back(&table, i);
    }
    const auto of_seats = [&](auto to_text) {
      return ArrayText(seats,
                       [&](const auto& seat) { return to_text(seat.first->seats[seat.second]); });
    };
    const auto seconds = [](absl::Duration time) {
      return absl::StrCat(absl::ToInt64Seconds(time));
    };
    return pool_->With(
        kPlaceTables, [&](pqxx::connection& connection) -> absl::StatusOr<std::set<TableId>> {
          pqxx::nontransaction tx(connection);
          const pqxx::result rows = tx.exec_prepared(
              kPlaceTables.name, of_tables([](const auto& t) { return t.id.ToString(); }),
              of_tables([](const auto& t) { return Quoted(t.queue); }),
              of_tables([](const auto& t) { return absl::StrCat(t.rating_spread); }),
              of_tables([](const auto& t) { return Quoted(TimeText(t.create_time)); }),
              of_tables([](const auto& t) { return Quoted(t.terms.rule_set); }),
              of_tables([](const auto& t) {
                const std::optional<std::string> rules = RuleValuesOf(t.terms);
                return rules ? Quoted(*rules) : std::string("NULL");
              }),
              of_tables([](const auto& t) { return absl::StrCat(t.terms.deal_count); }),
              of_tables([&](const auto& t) { return seconds(t.terms.move_limit); }),
              of_tables([&](const auto& t) { return seconds(t.terms.time_bank); }),
              of_tables([](const auto& t) { return std::string(t.terms.ranked ? "t" : "f"); }),
              ArrayText(seats, [](const auto& seat) { return seat.first->id.ToString(); }),
              ArrayText(seats, [](const auto& seat) { return absl::StrCat(seat.second + 1); }),
              of_seats([](const PlannedSeat& seat) { return seat.player.ToString(); }),
              of_seats([](const PlannedSeat& seat) { return Quoted(seat.display_name); }),
              of_seats([](const PlannedSeat& seat) { return Quoted(seat.bot_level); }),
              of_seats([](const PlannedSeat& seat) { return ElementOf(seat.ticket); }));
          std::set<TableId> placed;
          for (const pqxx::row& row : rows) placed.insert(IdFrom<TableId>(row[0]));
          return placed;
        });
  }

  absl::StatusOr<std::vector<PlannedTable>> ListPlaced() override {
    return pool_->With(
        kListPlaced, [](pqxx::connection& connection) -> absl::StatusOr<std::vector<PlannedTable>> {
          pqxx::nontransaction tx(connection);
          std::vector<PlannedTable> tables;
          for (const pqxx::row& row : tx.exec_prepared(kListPlaced.name)) {
            const TableId id = IdFrom<TableId>(row["table_id"]);
            if (tables.empty() || tables.back().id != id) {
              try {
                tables.push_back({.id = id,
                                  .queue = row["queue_id"].as<std::string>(),
                                  .terms = TermsFrom(row),
                                  .rating_spread = row["rating_spread"].as<int>(),
                                  .create_time = TimeFrom(row["create_time"])});
              } catch (const UnreadableRow&) {
                // A replica of a newer version has stored this game table. Skip it, because the
                // replicas of that version request it.
                continue;
              }
            }
            tables.back().seats.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                                           .display_name = row["display_name"].as<std::string>(),
                                           .bot_level = row["bot_level"].as<std::string>(),
                                           .ticket = IdFrom<TicketId>(row["ticket_id"])});
          }
          return tables;
        });
  }

  absl::StatusOr<std::vector<Ticket>> Confirm(absl::Span<const TableId> tables) override {
    return Tickets(kConfirmTables, ArrayText(tables, [](TableId id) { return id.ToString(); }));
  }

  absl::StatusOr<std::vector<Ticket>> Refuse(absl::Span<const TableId> tables) override {
    return Tickets(kRefuseTables, ArrayText(tables, [](TableId id) { return id.ToString(); }));
  }

  absl::StatusOr<std::vector<Ticket>> Release(const FinishedMatch& match) override {
    using Tickets = std::vector<Ticket>;
    return pool_->With(kEndTable, [&](pqxx::connection& connection) -> absl::StatusOr<Tickets> {
      pqxx::work tx(connection);
      const std::string table = match.table.ToString();
      // The persons are sorted by id, so that no deadlock is possible.
      std::vector<PlayerId> persons;
      bool ranked = false;
      const pqxx::result ended = tx.exec_prepared(kEndTable.name, table);
      if (ended.empty()) return Tickets();
      for (const pqxx::row& row : ended) {
        ranked = row["ranked"].as<bool>();
        if (!row["player_id"].is_null()) persons.push_back(IdFrom<PlayerId>(row["player_id"]));
      }
      for (const PlayerId person : persons) {
        const std::string id = person.ToString();
        const Standing before = StandingFrom(tx.exec_prepared1(kLockStanding.name, id));
        WriteStanding(tx, id,
                      AfterMatch(before, EndFor(person, persons, match, ranked), match.time));
      }
      Tickets tickets;
      for (const pqxx::row& row : tx.exec_prepared(kCloseTickets.name, table)) {
        tickets.push_back(TicketFrom(row));
      }
      tx.commit();
      return tickets;
    });
  }

  absl::StatusOr<Standing> GetStanding(PlayerId player) override {
    return pool_->With(kGetStanding, [&](pqxx::connection& connection) -> absl::StatusOr<Standing> {
      pqxx::nontransaction tx(connection);
      const pqxx::result rows = tx.exec_prepared(kGetStanding.name, player.ToString());
      return rows.empty() ? Standing() : StandingFrom(rows[0]);
    });
  }

 private:
  template <typename... Args>
  absl::StatusOr<std::vector<Ticket>> Tickets(const pg::Statement& statement, const Args&... args) {
    return pool_->With(statement,
                       [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Ticket>> {
                         pqxx::nontransaction tx(connection);
                         std::vector<Ticket> tickets;
                         for (const pqxx::row& row : tx.exec_prepared(statement.name, args...)) {
                           tickets.push_back(TicketFrom(row));
                         }
                         return tickets;
                       });
  }

  const std::shared_ptr<pg::Pool> pool_;
};

}  // namespace

std::vector<pg::Statement> TicketStatements() {
  return {
      kListQueues,    kListBots,       kCloseQueues,      kCancelInClosedQueues, kWriteQueue,
      kDeleteBots,    kWriteBots,      kCreateTicket,     kFindTicket,           kGetTickets,
      kFindRequest,   kCancelParties,  kCancelTicket,     kReadWaiting,          kReadChanged,
      kListLiveBots,  kPlaceTables,    kListPlaced,       kConfirmTables,        kRefuseTables,
      kEndTable,      kCloseTickets,   kGetStanding,      kLockStanding,         kWriteStanding,
      kSetQueueOpen,  kCancelInQueue,  kListLive,         kListClosedQueues,     kReadPopulation,
      kSetPopulation, kReadRoundTrips, kDeleteRoundTrips, kWriteRoundTrips};
}

std::unique_ptr<TicketStore> MakePgTicketStore(std::shared_ptr<pg::Pool> pool) {
  return std::make_unique<PgTicketStore>(std::move(pool));
}

}  // namespace tarot::matchmaking_service
