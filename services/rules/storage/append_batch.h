// Stores a batch of log entries with one statement and gives the result of each entry.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Returns the statements that the connections of AppendBatch prepare, and the settings of their
// sessions. With these settings plans are made once and never scan a whole table, even if the table
// had few rows at that time.
std::vector<pg::Statement> AppendStatements();
inline constexpr char kAppendSession[] =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
    " SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

// Returns the statement that stores `entries`. Its time is recorded under its name.
const pg::Statement& AppendStatement(const std::vector<NewEntry>& entries);

// Does what TableStore::Append says. Throws the exceptions of libpqxx; then all entries are stored
// or none. When a key refuses an entry, a second statement stores the others, and one more
// statement looks up the requests of the entries that were not stored.
std::vector<absl::StatusOr<Appended>> AppendBatch(pqxx::connection& connection,
                                                  const std::vector<NewEntry>& entries);

}  // namespace tarot::rules_service
