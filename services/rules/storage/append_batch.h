// Stores a batch of entries by one statement, and says of each what became of it.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/pg/statement.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Of Append's connections: what they prepare, and how their sessions plan. The plans are made once
// and never read a whole table, however few rows it had when they were made.
std::vector<pg::Statement> AppendStatements();
inline constexpr char kAppendSession[] =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
    " SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

// The statement for `entries`: its name is the series of its time.
const pg::Statement& AppendStatement(const std::vector<NewEntry>& entries);

// Result i is that of entry i; as TableStore::Append. Throws what libpqxx throws: then all entries
// are stored or none. When a key refuses one, a second statement stores the others; one that was
// not stored is looked up by its request, in a statement more.
std::vector<absl::StatusOr<Appended>> AppendBatch(pqxx::connection& connection,
                                                  const std::vector<NewEntry>& entries);

}  // namespace tarot::rules_service
