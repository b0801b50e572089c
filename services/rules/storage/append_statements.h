// The statements that store entries of logs: many in one round trip and one commit, each judged
// by the keys on its own.
#pragma once

#include "libs/pg/statement.h"

namespace tarot::rules_service {

// $1..$9: arrays, one element an entry. The primary key (table_id, revision) referees races and
// the unique (table_id, request_id) repeats. An entry that leaves a gap or whose table is not there
// is left out; its neighbours are stored. One that breaks a key fails the statement, which then has
// stored nothing, unless `on_conflict` leaves that one out, too: to look before each row is a sixth
// of Postgres's work, and hardly ever finds anything. The look at the entry before is a scalar
// subquery, so that the planner can only ask the index, row by row.
#define TAROT_RULES_APPEND(on_conflict)                                                         \
  "INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat,"         \
  "                                 payload, elapsed_us, create_time)"                          \
  " SELECT i.table_id, i.revision, i.request_id, i.kind, i.actor, i.seat, i.payload,"           \
  "        i.elapsed_us, 'epoch'::timestamptz + i.create_us * interval '1 microsecond'"         \
  " FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::smallint[], $5::smallint[],"         \
  "             $6::smallint[], $7::bytea[], $8::bigint[], $9::bigint[])"                       \
  "   AS i (table_id, revision, request_id, kind, actor, seat, payload, elapsed_us, create_us)" \
  " WHERE CASE WHEN i.revision = 1"                                                             \
  "            THEN (SELECT true FROM rules.tables t WHERE t.table_id = i.table_id)"            \
  "            ELSE (SELECT true FROM rules.table_actions b"                                    \
  "                  WHERE b.table_id = i.table_id AND b.revision = i.revision - 1)"            \
  "       END " on_conflict " RETURNING table_id, request_id, revision"

inline constexpr pg::Statement kAppendActions{"rules_append_actions", TAROT_RULES_APPEND("")};
inline constexpr pg::Statement kAppendSomeActions{"rules_append_some_actions",
                                                  TAROT_RULES_APPEND("ON CONFLICT DO NOTHING")};

// The same when some entries end a deal, and with a sixth element that is not null their match.
// $10..$15, one element a deal: table, request, number, first revision, deals scored, totals.
// $16..$18, one element a player of a deal: table, request, player.
#define TAROT_RULES_APPEND_ENDS(on_conflict) \
  "WITH logged AS (" TAROT_RULES_APPEND(on_conflict) ", create_time), ends AS (" \
  "  SELECT l.table_id, l.request_id, e.number, e.first_revision, l.revision AS last_revision," \
  "         l.create_time AS finish_time, e.deals_scored, e.totals" \
  "  FROM logged l" \
  "    JOIN unnest($10::uuid[], $11::uuid[], $12::integer[], $13::integer[], $14::integer[]," \
  "                $15::text[])" \
  "      AS e (table_id, request_id, number, first_revision, deals_scored, totals)" \
  "      USING (table_id, request_id)" \
  "), ended AS (" \
  "  INSERT INTO rules.deals (table_id, number, first_revision, last_revision, finish_time)" \
  "  SELECT table_id, number, first_revision, last_revision, finish_time FROM ends" \
  "), seated AS (" \
  "  INSERT INTO rules.deal_players (player_id, finish_time, table_id, number)" \
  "  SELECT p.player_id, ends.finish_time, ends.table_id, ends.number" \
  "  FROM ends JOIN unnest($16::uuid[], $17::uuid[], $18::uuid[])" \
  "    AS p (table_id, request_id, player_id) USING (table_id, request_id)" \
  "), finished AS (" \
  "  UPDATE rules.tables t" \
  "  SET finish_time = ends.finish_time, deals_scored = ends.deals_scored," \
  "      totals = ends.totals::integer[]" \
  "  FROM ends WHERE t.table_id = ends.table_id AND ends.deals_scored IS NOT NULL" \
  "  RETURNING t.table_id, t.finish_time, t.ranked AND t.deals_scored > 0 AS rated" \
  "), told AS (" \
  "  INSERT INTO rules.outbox (table_id, target, create_time)" \
  "  SELECT table_id, target, finish_time" \
  "  FROM finished, (VALUES (0), (1)) AS targets (target)" \
  "  WHERE target = 1 OR rated" \
  ")" \
  " SELECT table_id, request_id, revision FROM logged"

inline constexpr pg::Statement kAppendDealEnds{"rules_append_deal_ends",
                                               TAROT_RULES_APPEND_ENDS("")};
inline constexpr pg::Statement kAppendSomeDealEnds{
    "rules_append_some_deal_ends", TAROT_RULES_APPEND_ENDS("ON CONFLICT DO NOTHING")};

#undef TAROT_RULES_APPEND_ENDS
#undef TAROT_RULES_APPEND

// What has become of requests that a batch did not store: $1 tables, $2 requests.
inline constexpr pg::Statement kFindRequests{"rules_find_requests", R"sql(
  SELECT i.table_id, i.request_id,
         (SELECT a.revision FROM rules.table_actions a
          WHERE a.table_id = i.table_id AND a.request_id = i.request_id) AS revision
  FROM unnest($1::uuid[], $2::uuid[]) AS i (table_id, request_id)
)sql"};

}  // namespace tarot::rules_service
