// Every SQL statement of the ticket store. Each is one round trip and one atomic step; the state
// columns referee all races.
#pragma once

#include <vector>

#include "libs/pg/statement.h"

namespace tarot::matchmaking_service {

inline constexpr pg::Statement kListQueues{"matchmaking_list_queues", R"sql(
  SELECT queue_id, display_name, player_count, rule_set, deal_count, move_limit_seconds,
         time_bank_seconds, ranked, bot_fill_delay_seconds
  FROM matchmaking.queues ORDER BY ranked DESC, queue_id)sql"};

inline constexpr pg::Statement kListBots{
    "matchmaking_list_bots",
    "SELECT player_id, display_name, level FROM matchmaking.bots ORDER BY place"};

// No row: the player's request or a live ticket was there before; kFindTicket tells which.
inline constexpr pg::Statement kCreateTicket{"matchmaking_create_ticket", R"sql(
  INSERT INTO matchmaking.tickets AS t (ticket_id, queue_id, player_id, display_name, bot_level,
                                        request_id, state, create_time, last_table_id)
  VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $7,
          (SELECT table_id FROM matchmaking.tickets WHERE player_id = $3 AND state = 'closed'
           ORDER BY create_time DESC LIMIT 1))
  ON CONFLICT DO NOTHING
  RETURNING t.*)sql"};

inline constexpr pg::Statement kFindTicket{"matchmaking_find_ticket", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE player_id = $1
    AND (request_id = $3
         OR (queue_id = $2 AND state IN ('waiting', 'placing', 'matched')))
  ORDER BY request_id = $3 DESC LIMIT 1)sql"};

inline constexpr pg::Statement kGetTickets{
    "matchmaking_get_tickets",
    "SELECT * FROM matchmaking.tickets WHERE ticket_id = ANY($1::uuid[])"};

inline constexpr pg::Statement kCancelTicket{"matchmaking_cancel_ticket", R"sql(
  UPDATE matchmaking.tickets AS t SET state = 'cancelled'
  WHERE t.ticket_id = $1 AND t.player_id = $2 AND t.state = 'waiting'
  RETURNING t.*)sql"};

inline constexpr pg::Statement kListWaiting{"matchmaking_list_waiting", R"sql(
  SELECT * FROM matchmaking.tickets WHERE state = 'waiting' ORDER BY create_time, ticket_id)sql"};

inline constexpr pg::Statement kCountWaiting{"matchmaking_count_waiting", R"sql(
  SELECT queue_id, count(*) FROM matchmaking.tickets
  WHERE state = 'waiting' GROUP BY queue_id)sql"};

inline constexpr pg::Statement kListLiveBots{"matchmaking_list_live_bots", R"sql(
  SELECT * FROM matchmaking.tickets
  WHERE bot_level <> '' AND state IN ('waiting', 'placing', 'matched'))sql"};

// Locks the tickets first, in one order for all: those that another wave or a cancel took are then
// missing, and nothing is inserted; nor when one who has a ticket would fill a seat without one.
inline constexpr pg::Statement kPlaceTable{"matchmaking_place_table", R"sql(
  WITH seats AS (
    SELECT * FROM unnest($5::uuid[], $6::text[], $7::text[], $8::uuid[]) WITH ORDINALITY
      AS s(player_id, display_name, bot_level, ticket_id, seat)
  ), picked AS (
    SELECT ticket_id FROM matchmaking.tickets
    WHERE ticket_id = ANY($8::uuid[]) AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  ), made AS (
    INSERT INTO matchmaking.tables (table_id, queue_id, state, rating_spread, create_time)
    SELECT $1, $2, 'placed', $3, $4
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

inline constexpr pg::Statement kListPlaced{"matchmaking_list_placed", R"sql(
  SELECT t.table_id, t.queue_id, t.rating_spread, t.create_time,
         s.player_id, s.display_name, s.bot_level, s.ticket_id
  FROM matchmaking.tables t JOIN matchmaking.table_seats s USING (table_id)
  WHERE t.state = 'placed' ORDER BY t.create_time, t.table_id, s.seat)sql"};

inline constexpr pg::Statement kConfirmTable{"matchmaking_confirm_table", R"sql(
  WITH made AS (
    UPDATE matchmaking.tables SET state = 'made' WHERE table_id = $1 AND state = 'placed'
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'matched' FROM made
  WHERE t.table_id = made.table_id AND t.state = 'placing'
  RETURNING t.*)sql"};

inline constexpr pg::Statement kRefuseTable{"matchmaking_refuse_table", R"sql(
  WITH refused AS (
    UPDATE matchmaking.tables SET state = 'refused' WHERE table_id = $1 AND state = 'placed'
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'waiting', table_id = NULL FROM refused
  WHERE t.table_id = refused.table_id AND t.state = 'placing'
  RETURNING t.*)sql"};

inline constexpr pg::Statement kReleaseTable{"matchmaking_release_table", R"sql(
  WITH released AS (
    UPDATE matchmaking.tables SET state = 'over'
    WHERE table_id = $1 AND state IN ('placed', 'made')
    RETURNING table_id
  )
  UPDATE matchmaking.tickets AS t SET state = 'closed' FROM released
  WHERE t.table_id = released.table_id AND t.state IN ('placing', 'matched')
  RETURNING t.*)sql"};

inline std::vector<pg::Statement> TicketStatements() {
  return {kListQueues,   kListBots,     kCreateTicket, kFindTicket,   kGetTickets,
          kCancelTicket, kListWaiting,  kCountWaiting, kListLiveBots, kPlaceTable,
          kListPlaced,   kConfirmTable, kRefuseTable,  kReleaseTable};
}

}  // namespace tarot::matchmaking_service
