#include "services/matchmaking/storage/pg_ticket_store.h"

#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <utility>
#include <vector>

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
          .party_size = row["party_size"].as<int>()};
}

// Every statement is one atomic step. If statements compete for a ticket or a table, its column
// `state` decides which of them succeeds.

constexpr pg::Statement kListQueues{"matchmaking_list_queues", R"sql(
  SELECT queue_id, display_name, player_count, rule_set, NULL::text AS rule_values, deal_count,
         move_limit_seconds, time_bank_seconds, ranked, bot_fill_delay_seconds,
         false AS take_back, false AS breaks
  FROM matchmaking.queues WHERE open ORDER BY ranked DESC, queue_id)sql"};

constexpr pg::Statement kListBots{
    "matchmaking_list_bots",
    "SELECT player_id, display_name, level FROM matchmaking.bots ORDER BY place"};

// Closes the queues whose ids are not in the array.
constexpr pg::Statement kCloseQueues{"matchmaking_close_queues", R"sql(
  UPDATE matchmaking.queues SET open = false WHERE open AND queue_id <> ALL($1::text[]))sql"};

// Runs after kCloseQueues. That statement has waited for every kCreateTicket in flight, so this one
// finds all tickets.
constexpr pg::Statement kCancelInClosedQueues{"matchmaking_cancel_in_closed_queues", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'cancelled'
  FROM matchmaking.queues AS q
  WHERE t.queue_id = q.queue_id AND NOT q.open AND t.state = 'waiting')sql"};

// Cancels the waiting tickets of parties whose queue is ranked now, or has too few seats for them.
constexpr pg::Statement kCancelParties{"matchmaking_cancel_parties", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'cancelled'
  FROM matchmaking.queues AS q
  WHERE t.queue_id = q.queue_id AND t.state = 'waiting' AND t.party_id IS NOT NULL
    AND (q.ranked OR t.party_size > q.player_count))sql"};

constexpr pg::Statement kWriteQueue{"matchmaking_write_queue", R"sql(
  INSERT INTO matchmaking.queues (queue_id, display_name, player_count, rule_set, deal_count,
                                  move_limit_seconds, time_bank_seconds, ranked,
                                  bot_fill_delay_seconds, open)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, true)
  ON CONFLICT (queue_id) DO UPDATE
    SET display_name = excluded.display_name, player_count = excluded.player_count,
        rule_set = excluded.rule_set, deal_count = excluded.deal_count,
        move_limit_seconds = excluded.move_limit_seconds,
        time_bank_seconds = excluded.time_bank_seconds, ranked = excluded.ranked,
        bot_fill_delay_seconds = excluded.bot_fill_delay_seconds, open = true)sql"};

constexpr pg::Statement kDeleteBots{"matchmaking_delete_bots", "DELETE FROM matchmaking.bots"};

constexpr pg::Statement kWriteBots{"matchmaking_write_bots", R"sql(
  INSERT INTO matchmaking.bots (player_id, display_name, level, place)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY)sql"};

// Returns no row in two cases: the queue is not open, or the player already has a ticket of the
// same request or a live ticket in the queue. kFindTicket finds that ticket.
constexpr pg::Statement kCreateTicket{"matchmaking_create_ticket", R"sql(
  WITH last_matches AS (
    SELECT ARRAY(SELECT table_id FROM matchmaking.tickets
                 WHERE player_id = $3::uuid AND state = 'closed'
                 ORDER BY create_time DESC LIMIT 3) AS tables
  )
  INSERT INTO matchmaking.tickets AS t (ticket_id, queue_id, player_id, display_name, bot_level,
                                        request_id, state, create_time, last_table_id,
                                        second_last_table_id, third_last_table_id,
                                        party_id, party_size)
  SELECT $1::uuid, q.queue_id, $3::uuid, $4::text, $5::text, $6::uuid, 'waiting', $7::timestamptz,
         m.tables[1], m.tables[2], m.tables[3], $8::uuid, $9::integer
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
// cancels the waiting tickets of the other persons in the room. Locks the tickets in the order of
// kPlaceTable. Deletes the older cancelled tickets of the same players, so that a party that queues
// and leaves again and again leaves one row for each player. That row answers repeats of the last
// requests.
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
    UPDATE matchmaking.tickets AS t SET state = 'cancelled' FROM picked
    WHERE t.ticket_id = picked.ticket_id AND t.state = 'waiting'
    RETURNING t.*
  ), forgotten AS (
    DELETE FROM matchmaking.tickets AS t USING cancelled
    WHERE t.player_id = cancelled.player_id AND t.ticket_id <> cancelled.ticket_id
      AND t.state = 'cancelled'
  )
  SELECT * FROM cancelled WHERE ticket_id = $1)sql"};

// The party of a ticket is the present company of its room: a player who has left the room waits
// alone.
constexpr pg::Statement kListWaiting{"matchmaking_list_waiting", R"sql(
  SELECT t.ticket_id, t.queue_id, t.player_id, t.display_name, t.bot_level, t.state, t.create_time,
         t.table_id, t.last_table_id, t.second_last_table_id, t.third_last_table_id,
         company.room_id AS party_id,
         coalesce(company.persons, 1) AS party_size
  FROM matchmaking.tickets AS t
  LEFT JOIN LATERAL (
    SELECT r.room_id, count(*)::integer AS persons
    FROM matchmaking.rooms AS r
    JOIN matchmaking.room_seats AS s ON s.room_id = r.room_id
    WHERE r.room_id = t.party_id AND r.end_time IS NULL
      AND s.player_id IS NOT NULL AND s.bot_level = ''
    GROUP BY r.room_id
    HAVING bool_or(s.player_id = t.player_id)
  ) AS company ON t.party_id IS NOT NULL
  WHERE t.state = 'waiting' ORDER BY t.create_time, t.ticket_id)sql"};

// Reads only blocks between two players who both have a waiting or placed ticket. An index finds
// the blocks that a player has made, at most kBlocksMax.
constexpr pg::Statement kListBlocks{"matchmaking_list_blocks", R"sql(
  SELECT DISTINCT b.player_id, b.other_id
  FROM matchmaking.tickets AS t
  JOIN matchmaking.relations AS b ON b.player_id = t.player_id AND b.kind = 'blocks'
  JOIN matchmaking.tickets AS o ON o.player_id = b.other_id AND o.state IN ('waiting', 'placing')
  WHERE t.state IN ('waiting', 'placing'))sql"};

constexpr pg::Statement kCountWaiting{"matchmaking_count_waiting", R"sql(
  SELECT queue_id, count(*) FROM matchmaking.tickets
  WHERE state = 'waiting' GROUP BY queue_id)sql"};

constexpr pg::Statement kListLiveBots{"matchmaking_list_live_bots", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE bot_level <> '' AND state IN ('waiting', 'placing', 'matched'))sql"};

// Locks the tickets first, always in the same order, so that two statements cannot block each other
// forever. Inserts nothing in two cases: one of the tickets no longer waits, or a bot that fills a
// free seat has a live ticket.
constexpr pg::Statement kPlaceTable{"matchmaking_place_table", R"sql(
  WITH seats AS (
    SELECT * FROM unnest($5::uuid[], $6::text[], $7::text[], $8::uuid[]) WITH ORDINALITY
      AS s(player_id, display_name, bot_level, ticket_id, seat)
  ), picked AS (
    SELECT ticket_id FROM matchmaking.tickets
    WHERE ticket_id = ANY($8::uuid[]) AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  ), made AS (
    INSERT INTO matchmaking.tables (table_id, queue_id, state, rating_spread, create_time,
                                    rule_set, rule_values, deal_count, move_limit_seconds,
                                    time_bank_seconds, ranked)
    SELECT $1, $2, 'placed', $3, $4, $9, $14, $10, $11, $12, $13
    WHERE (SELECT count(*) FROM picked) = (SELECT count(ticket_id) FROM seats)
      AND NOT EXISTS (SELECT FROM seats s JOIN matchmaking.tickets t USING (player_id)
                      WHERE s.ticket_id IS NULL AND t.state IN ('waiting', 'placing', 'matched'))
    RETURNING table_id
  ), seated AS (
    INSERT INTO matchmaking.table_seats (table_id, seat, player_id, display_name, bot_level,
                                         ticket_id)
    SELECT made.table_id, s.seat, s.player_id, s.display_name, s.bot_level, s.ticket_id
    FROM made, seats s
  )
  UPDATE matchmaking.tickets AS t SET state = 'placing', table_id = made.table_id
  FROM made, picked WHERE t.ticket_id = picked.ticket_id
  RETURNING t.ticket_id)sql"};

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

constexpr pg::Statement kConfirmTable{"matchmaking_confirm_table", R"sql(
  WITH made AS (
    UPDATE matchmaking.tables SET state = 'made' WHERE table_id = $1 AND state = 'placed'
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'matched' FROM made
  WHERE t.table_id = made.table_id AND t.state = 'placing'
  RETURNING t.*)sql"};

constexpr pg::Statement kRefuseTable{"matchmaking_refuse_table", R"sql(
  WITH refused AS (
    UPDATE matchmaking.tables SET state = 'refused' WHERE table_id = $1 AND state = 'placed'
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'waiting', table_id = NULL FROM refused
  WHERE t.table_id = refused.table_id AND t.state = 'placing'
  RETURNING t.*)sql"};

constexpr pg::Statement kReleaseTable{"matchmaking_release_table", R"sql(
  WITH released AS (
    UPDATE matchmaking.tables SET state = 'over'
    WHERE table_id = $1 AND state IN ('placed', 'made')
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'closed' FROM released
  WHERE t.table_id = released.table_id AND t.state IN ('placing', 'matched')
  RETURNING t.*)sql"};

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
             .bot_fill_delay = absl::Seconds(row["bot_fill_delay_seconds"].as<int>())});
      }
      for (const pqxx::row& row : tx.exec_prepared(kListBots.name)) {
        catalog.bots.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                                .display_name = row["display_name"].as<std::string>(),
                                .level = row["level"].as<std::string>()});
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
                          seconds(terms.time_bank), terms.ranked, seconds(queue.bot_fill_delay));
      }
      tx.exec_prepared0(kCancelParties.name);
      tx.exec_prepared0(kDeleteBots.name);
      const auto of_bots = [&](auto to_text) { return ArrayText(catalog.bots, to_text); };
      tx.exec_prepared0(kWriteBots.name,
                        of_bots([](const Bot& bot) { return bot.player.ToString(); }),
                        of_bots([](const Bot& bot) { return Quoted(bot.display_name); }),
                        of_bots([](const Bot& bot) { return Quoted(bot.level); }));
      tx.commit();
      return absl::OkStatus();
    });
  }

  absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) override {
    using Outcome = CreatedTicket::Outcome;
    const std::string player = ticket.player.ToString();
    const std::string request = ticket.request_id.ToString();
    std::optional<std::string> party;
    if (!ticket.party.empty()) party = ticket.party.ToString();
    TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> created,
                           Tickets(kCreateTicket, ticket.id.ToString(), ticket.queue, player,
                                   ticket.display_name, ticket.bot_level, request,
                                   TimeText(ticket.create_time), OrNull(party), ticket.party_size));
    if (!created.empty()) return CreatedTicket{Outcome::kCreated, created[0]};
    return pool_->With(
        kFindTicket, [&](pqxx::connection& connection) -> absl::StatusOr<CreatedTicket> {
          pqxx::nontransaction tx(connection);
          const pqxx::result rows =
              tx.exec_prepared(kFindTicket.name, player, ticket.queue, request);
          // There is no row if the other ticket ended between the two statements, or if the queue
          // is not open.
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
    // The first statement has cancelled nothing, but its snapshot may still show the ticket as
    // waiting. So a second statement reads the ticket.
    TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, Get({id}));
    if (tickets.empty() || tickets[0].player != player) {
      return absl::NotFoundError("No such ticket.");
    }
    return tickets[0];
  }

  absl::StatusOr<std::vector<Ticket>> ListWaiting() override { return Tickets(kListWaiting); }

  absl::StatusOr<std::vector<std::pair<PlayerId, PlayerId>>> ListBlocks() override {
    using Blocks = std::vector<std::pair<PlayerId, PlayerId>>;
    return pool_->With(kListBlocks, [](pqxx::connection& connection) -> absl::StatusOr<Blocks> {
      pqxx::nontransaction tx(connection);
      Blocks blocks;
      for (const pqxx::row& row : tx.exec_prepared(kListBlocks.name)) {
        blocks.emplace_back(IdFrom<PlayerId>(row["player_id"]), IdFrom<PlayerId>(row["other_id"]));
      }
      return blocks;
    });
  }

  absl::StatusOr<std::map<std::string, int>> CountWaiting() override {
    return pool_->With(
        kCountWaiting,
        [](pqxx::connection& connection) -> absl::StatusOr<std::map<std::string, int>> {
          pqxx::nontransaction tx(connection);
          std::map<std::string, int> counts;
          for (const pqxx::row& row : tx.exec_prepared(kCountWaiting.name)) {
            counts[row["queue_id"].as<std::string>()] = row["count"].as<int>();
          }
          return counts;
        });
  }

  absl::StatusOr<std::vector<Ticket>> ListLiveBots() override { return Tickets(kListLiveBots); }

  absl::StatusOr<bool> Place(const PlannedTable& table) override {
    const auto& seats = table.seats;
    const std::string players =
        ArrayText(seats, [](const PlannedSeat& seat) { return seat.player.ToString(); });
    const std::string names =
        ArrayText(seats, [](const PlannedSeat& seat) { return Quoted(seat.display_name); });
    const std::string levels =
        ArrayText(seats, [](const PlannedSeat& seat) { return Quoted(seat.bot_level); });
    const std::string tickets =
        ArrayText(seats, [](const PlannedSeat& seat) { return ElementOf(seat.ticket); });
    const std::optional<std::string> rules = RuleValuesOf(table.terms);
    return pool_->With(kPlaceTable, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return !tx.exec_prepared(kPlaceTable.name, table.id.ToString(), table.queue,
                               table.rating_spread, TimeText(table.create_time), players, names,
                               levels, tickets, table.terms.rule_set, table.terms.deal_count,
                               absl::ToInt64Seconds(table.terms.move_limit),
                               absl::ToInt64Seconds(table.terms.time_bank), table.terms.ranked,
                               OrNull(rules))
                  .empty();
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
                continue;  // The replicas of the newer version request this table.
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

  absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) override {
    return Tickets(kConfirmTable, table.ToString());
  }

  absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) override {
    return Tickets(kRefuseTable, table.ToString());
  }

  absl::StatusOr<std::vector<Ticket>> Release(TableId table) override {
    return Tickets(kReleaseTable, table.ToString());
  }

 private:
  // Runs one statement that returns tickets.
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
  return {kListQueues,   kListBots,      kCloseQueues,  kCancelInClosedQueues, kWriteQueue,
          kDeleteBots,   kWriteBots,     kCreateTicket, kFindTicket,           kGetTickets,
          kFindRequest,  kCancelParties, kCancelTicket, kListWaiting,          kListBlocks,
          kCountWaiting, kListLiveBots,  kPlaceTable,   kListPlaced,           kConfirmTable,
          kRefuseTable,  kReleaseTable};
}

std::unique_ptr<TicketStore> MakePgTicketStore(std::shared_ptr<pg::Pool> pool) {
  return std::make_unique<PgTicketStore>(std::move(pool));
}

}  // namespace tarot::matchmaking_service
