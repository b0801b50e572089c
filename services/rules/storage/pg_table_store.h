// Declares the stores that keep game tables, their logs and finished deals in Postgres.
// Thread-safe: every call takes a connection of a pool. Appends have a pool of their own, so that
// no other statement delays them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/entropy.h"
#include "libs/dealing/secret_box.h"
#include "libs/pg/pool.h"
#include "services/rules/app/player_data_store.h"
#include "services/rules/app/table_store.h"
#include "services/rules/storage/archive_store.h"

namespace tarot::rules_service {

// `pool` must be made with TableStatements(), and `append_pool` with AppendStatements() and
// kAppendSession. `secrets` encrypts the secrets of running deals. `archive` has the matches whose
// logs have been dropped. It is null if there is no archive. The pools, `entropy` and `archive`
// must outlive the result.
std::unique_ptr<TableStore> MakePgTableStore(pg::Pool& pool, pg::Pool& append_pool,
                                             dealing::SecretBox secrets, Entropy& entropy,
                                             ArchiveStore* archive = nullptr);

std::vector<pg::Statement> TableStatements();
std::vector<pg::Statement> AppendStatements();

// Exports and deletes what Postgres stores about a player. `pool` must be made with
// PlayerDataStatements() and must outlive the result.
std::unique_ptr<PlayerDataStore> MakePgPlayerDataStore(pg::Pool& pool);
std::vector<pg::Statement> PlayerDataStatements();

// With these settings Postgres plans each statement once and keeps the plan. No plan scans a whole
// SQL table, even if this SQL table had few rows when Postgres made the plan.
inline constexpr char kAppendSession[] =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
    " SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off";

// Reads one game table in the caller's transaction, for programs that check a whole database.
// Returns nullopt if there is no such game table. If the game table cannot be read, returns an
// error of LogDecoder. Throws the exceptions of libpqxx.
absl::StatusOr<std::optional<StoredTable>> ReadTable(pqxx::transaction_base& tx,
                                                     const dealing::SecretBox& secrets,
                                                     TableId table);

}  // namespace tarot::rules_service
