// Every SQL statement of the rules service but those that append (append_statements.h): each is one
// round trip and one atomic write.
#pragma once

#include "libs/pg/statement.h"

namespace tarot::rules_service {

// $8 players, $9 names, $10 levels: arrays by seat. $11 rules::EncodeRuleSet.
inline constexpr pg::Statement kCreateTable{"rules_create_table", R"sql(
  WITH made AS (
    INSERT INTO rules.tables
      (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time,
       rule_values, first_seed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $11, $12)
    ON CONFLICT DO NOTHING
    RETURNING table_id
  )
  INSERT INTO rules.table_seats (table_id, seat, player_id, display_name, bot_level)
  SELECT made.table_id, s.ordinality - 1, s.player_id, s.display_name, s.bot_level
  FROM made, unnest($8::uuid[], $9::text[], $10::text[])
    WITH ORDINALITY AS s (player_id, display_name, bot_level, ordinality)
)sql"};

inline constexpr pg::Statement kGetTable{"rules_get_table", R"sql(
  SELECT t.rule_set, t.rule_values, t.first_seed, t.deal_count, t.move_limit_ms, t.time_bank_ms,
         t.ranked,
         extract(epoch FROM t.create_time)::text AS create_time,
         s.player_id, s.display_name, s.bot_level, t.deals_scored, t.totals
  FROM rules.tables t JOIN rules.table_seats s USING (table_id)
  WHERE t.table_id = $1 ORDER BY s.seat
)sql"};

inline constexpr pg::Statement kListActions{"rules_list_actions", R"sql(
  SELECT revision, request_id, kind, actor, seat, payload, elapsed_us,
         (date_part('epoch', create_time) * 1e6)::bigint AS create_us
  FROM rules.table_actions
  WHERE table_id = $1 AND revision BETWEEN $2 AND $3 ORDER BY revision
)sql"};

// $1: an array of tables. One row a seat, one row an entry; those of a table follow one another.
// Each table is looked up by itself, for the planner, who may know little of a log that has grown
// fast, must not think of reading all of it.
inline constexpr pg::Statement kGetTables{"rules_get_tables", R"sql(
  SELECT t.rule_set, t.rule_values, t.first_seed, t.deal_count, t.move_limit_ms, t.time_bank_ms,
         t.ranked,
         extract(epoch FROM t.create_time)::text AS create_time,
         s.player_id, s.display_name, s.bot_level, t.table_id, t.deals_scored, t.totals
  FROM unnest($1::uuid[]) AS i (table_id)
    CROSS JOIN LATERAL (SELECT * FROM rules.tables WHERE tables.table_id = i.table_id LIMIT 1) AS t
    CROSS JOIN LATERAL (SELECT * FROM rules.table_seats WHERE table_seats.table_id = i.table_id
                        ORDER BY seat) AS s
)sql"};

inline constexpr pg::Statement kListActionsOfTables{"rules_list_actions_of_tables", R"sql(
  SELECT a.revision, a.request_id, a.kind, a.actor, a.seat, a.payload, a.elapsed_us,
         a.create_us, a.table_id
  FROM unnest($1::uuid[]) AS i (table_id)
    CROSS JOIN LATERAL (SELECT *, (date_part('epoch', create_time) * 1e6)::bigint AS create_us
                        FROM rules.table_actions WHERE table_actions.table_id = i.table_id
                        ORDER BY revision) AS a
)sql"};

// As kListOpenTables, with the revision of each log.
inline constexpr pg::Statement kListLiveTables{"rules_list_live_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time,
         coalesce((SELECT max(a.revision) FROM rules.table_actions a
                   WHERE a.table_id = t.table_id), 0) AS revision
  FROM rules.tables t
  WHERE t.finish_time IS NULL AND (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

// Pages: $1, $2 the last key of the page before (infinity for the first page), $3 limit. One
// statement a question, without "or null": each walks an index from the key on.
inline constexpr pg::Statement kListTables{"rules_list_tables", R"sql(
  SELECT table_id, extract(epoch FROM create_time)::text AS create_time
  FROM rules.tables
  WHERE (create_time, table_id) < ($1, $2)
  ORDER BY create_time DESC, table_id DESC LIMIT $3
)sql"};

inline constexpr pg::Statement kListOpenTables{"rules_list_open_tables", R"sql(
  SELECT table_id, extract(epoch FROM create_time)::text AS create_time
  FROM rules.tables
  WHERE finish_time IS NULL AND (create_time, table_id) < ($1, $2)
  ORDER BY create_time DESC, table_id DESC LIMIT $3
)sql"};

// $4 player, $5 finished too.
inline constexpr pg::Statement kListPlayerTables{"rules_list_player_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time
  FROM rules.table_seats s JOIN rules.tables t USING (table_id)
  WHERE s.player_id = $4 AND ($5 OR t.finish_time IS NULL)
    AND (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

inline constexpr pg::Statement kGetDeal{"rules_get_deal", R"sql(
  SELECT first_revision, last_revision, extract(epoch FROM finish_time)::text AS finish_time
  FROM rules.deals WHERE table_id = $1 AND number = $2
)sql"};

// $1 from, $2 until, $3..$5 the last key of the page before, $6 limit.
inline constexpr pg::Statement kListDeals{"rules_list_deals", R"sql(
  SELECT table_id, number, extract(epoch FROM finish_time)::text AS finish_time
  FROM rules.deals
  WHERE finish_time >= $1 AND finish_time < $2 AND (finish_time, table_id, number) < ($3, $4, $5)
  ORDER BY finish_time DESC, table_id DESC, number DESC LIMIT $6
)sql"};

// As kListDeals, of the table $7.
inline constexpr pg::Statement kListTableDeals{"rules_list_table_deals", R"sql(
  SELECT table_id, number, extract(epoch FROM finish_time)::text AS finish_time
  FROM rules.deals
  WHERE table_id = $7
    AND finish_time >= $1 AND finish_time < $2 AND (finish_time, table_id, number) < ($3, $4, $5)
  ORDER BY finish_time DESC, table_id DESC, number DESC LIMIT $6
)sql"};

// As kListDeals, of the player $7, and of the table $8 unless that is null.
inline constexpr pg::Statement kListPlayerDeals{"rules_list_player_deals", R"sql(
  SELECT table_id, number, extract(epoch FROM finish_time)::text AS finish_time
  FROM rules.deal_players
  WHERE player_id = $7 AND ($8::uuid IS NULL OR table_id = $8)
    AND finish_time >= $1 AND finish_time < $2 AND (finish_time, table_id, number) < ($3, $4, $5)
  ORDER BY finish_time DESC, table_id DESC, number DESC LIMIT $6
)sql"};

// $1 of each target, after the first $2: one that is away never holds up the other.
inline constexpr pg::Statement kListOutbox{"rules_list_outbox", R"sql(
  SELECT o.table_id, o.target, t.deals_scored, t.totals,
         extract(epoch FROM t.finish_time)::text AS finish_time
  FROM (VALUES (0), (1)) AS targets (target)
    CROSS JOIN LATERAL (SELECT * FROM rules.outbox WHERE outbox.target = targets.target
                        ORDER BY create_time, table_id LIMIT $1 OFFSET $2) AS o
    JOIN rules.tables t USING (table_id)
  ORDER BY o.create_time
)sql"};

inline constexpr pg::Statement kDeleteOutbox{"rules_delete_outbox", R"sql(
  DELETE FROM rules.outbox WHERE table_id = $1 AND target = $2
)sql"};

}  // namespace tarot::rules_service
