// Reads the database: the logs of the tables, and the rated matches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/rules/app/table_store.h"

namespace tarot::check {

struct FinishedMatch {
  bool ranked = false;
  rules_service::MatchEnd end;
};

struct LedgerRow {
  std::int64_t sequence = 0;
  TableId table;
  PlayerId player;
  int player_count = 0;
  int total = 0;
  double mu_before = 0, mu_after = 0;
};

// A player's place on the ladder of one size of table.
struct StandingRow {
  PlayerId player;
  int player_count = 0;
  double mu = 0;
  int match_count = 0;
};

struct Truth {
  std::map<TableId, rules_service::StoredTable> tables;
  std::map<TableId, FinishedMatch> finished;
  std::vector<TableId> rated;     // One for each row of ratings.matches.
  std::vector<LedgerRow> ledger;  // By sequence.
  std::vector<StandingRow> standings;
};

// Reads the schemas rules and ratings in one snapshot. Errors: UNAVAILABLE with the text of
// Postgres.
absl::StatusOr<Truth> ReadTruth(const std::string& dsn);

}  // namespace tarot::check
