// Declares the functions that read matches from the archive after their logs have been dropped from
// Postgres.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"
#include "services/rules/storage/archive_store.h"

namespace tarot::rules_service {

// The connections of the next functions must have these statements. If the archive does not answer
// or `archive` is null, the functions return UNAVAILABLE ARCHIVE_AWAY. If the bytes are damaged,
// they return DATA_LOSS ARCHIVE_DAMAGED. The functions throw the exceptions of libpqxx.
std::vector<pg::Statement> ArchivedMatchStatements();

// Returns the match of a table whose match is over, with a condensed log (archive_bytes.h). If the
// archive does not have the match, returns `without_log`.
absl::StatusOr<StoredTable> ReadArchivedMatch(pqxx::transaction_base& tx, ArchiveStore* archive,
                                              const StoredTable& without_log);

// Returns the deals of `stored`, and also the deals of `deals` that are not in `stored` but in the
// archive. The result has the order of `deals`. `tables` has the tables of `deals`, without logs.
absl::StatusOr<std::vector<StoredDeal>> AddArchivedDeals(
    pqxx::transaction_base& tx, ArchiveStore* archive,
    const absl::flat_hash_map<TableId, StoredTable>& tables, const std::vector<DealKey>& deals,
    std::vector<StoredDeal> stored);

}  // namespace tarot::rules_service
