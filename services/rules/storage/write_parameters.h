// Declares the parameters of the statements that write game tables and their logs. The parameters
// are arrays with one element for each row. pg_table_store.cc has the statements.
#pragma once

#include <vector>

#include "services/rules/app/table_store.h"
#include "services/rules/storage/sealed_log.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {

// The parameters for new game tables. The second group of arrays has the seats of these game
// tables.
struct TableArrays {
  TableArrays(const std::vector<TableConfig>& configs, const LogEncoder& encoder);

  SqlArray id, rule_set, deal_count, move_limit, time_bank, ranked, create_time, rule_values,
      first_seed, take_back, breaks;  // An empty seed means that the game table has none.
  SqlArray seat_table, seat, player, display_name, bot_level;
};

// The parameters for new entries of logs.
struct EntryArrays {
  EntryArrays(const std::vector<const NewEntry*>& entries, const LogEncoder& encoder);

  SqlArray table, revision, request, kind, actor, seat, payload, elapsed, time;
};

// The parameters for the deals that end with the new entries, for the players of these deals, and
// for the deals whose secrets become public.
struct EndArrays {
  explicit EndArrays(const std::vector<const NewEntry*>& entries);

  SqlArray table, request, number, first_revision, match_over, scored, totals;
  SqlArray player_table, player_request, player;
  SqlArray open_table, open_request, open_number, revealed;
};

}  // namespace tarot::rules_service
