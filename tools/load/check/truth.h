// The content of the database that the checker needs: the logs of the tables, and the ratings.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "services/ratings/audit/ledger_rows.h"
#include "services/rules/app/table_store.h"

namespace tarot::check {

struct FinishedMatch {
  bool ranked = false;
  rules_service::MatchEnd end;
};

struct Truth {
  std::map<TableId, rules_service::StoredTable> tables;
  std::map<TableId, FinishedMatch> finished;
  ratings_service::LedgerRows ratings;
};

// Reads the whole schemas rules and ratings in one snapshot. Returns UNAVAILABLE with the message
// of Postgres if that fails.
absl::StatusOr<Truth> ReadTruth(const std::string& dsn);

}  // namespace tarot::check
