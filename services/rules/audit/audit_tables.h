// Declares the audit of all stored matches of the rules service. AuditTables() replays each log
// from its first entry, and compares the index of deals, the stored totals and the stored progress
// with the replay. ReadMatches() reads all matches without an audit, for tests.
#pragma once

#include <functional>
#include <map>
#include <pqxx/pqxx>
#include <string>

#include "absl/status/statusor.h"
#include "libs/dealing/secret_box.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

struct AuditCounts {
  long deals = 0;  // Number of deals replayed so far.
  long wrong = 0;  // Number of tables with a problem.
};

// The functions that the audit calls. The threads of the audit never call two of them at the same
// time.
struct AuditListener {
  std::function<void(TableId table, const std::string& why)> on_wrong;
  std::function<void(const AuditCounts& so_far)> on_progress;  // Called after each table.
};

// Checks every game table of `store` on `thread_count` threads, and returns when all tables are
// done. The ids of all tables must name `cell`, the cell of the database. `store` must be
// thread-safe. Returns an error if the tables cannot be listed. A table that
// cannot be read counts as wrong.
absl::StatusOr<AuditCounts> AuditTables(TableStore& store, int cell, int thread_count,
                                        const AuditListener& listener);

// Reads all game tables with their logs, so use it only for small databases of tests. Returns an
// error if a game table cannot be read. Throws the exceptions of pqxx.
absl::StatusOr<std::map<TableId, StoredTable>> ReadMatches(pqxx::transaction_base& transaction,
                                                           const dealing::SecretBox& secrets);

}  // namespace tarot::rules_service
