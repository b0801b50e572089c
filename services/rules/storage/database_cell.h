// The cell of a database (libs/base/cell.h). The job --migrate_only stores it, and each program
// that works for a cell compares it before it writes to the database.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/pg/pool.h"

namespace tarot::rules_service {

// Gives the database to `cell` if it has no game tables yet. The role of `dsn` must own the schema,
// and all migrations must be applied. If the database has game tables of another cell, changes
// nothing and returns FAILED_PRECONDITION DATABASE_OF_OTHER_CELL.
absl::Status ClaimDatabase(const std::string& dsn, int cell);

// Returns the cell of the database. `pool` must be made with DatabaseCellStatements().
absl::StatusOr<int> CellOfDatabase(pg::Pool& pool);
std::vector<pg::Statement> DatabaseCellStatements();

// Returns OK if the database belongs to `cell`. If not, returns FAILED_PRECONDITION
// DATABASE_OF_OTHER_CELL. Other errors are those of Pool::With. `pool` must be made with
// DatabaseCellStatements().
absl::Status CheckDatabaseCell(pg::Pool& pool, int cell);

}  // namespace tarot::rules_service
