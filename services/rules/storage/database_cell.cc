#include "services/rules/storage/database_cell.h"

#include <pqxx/pqxx>

#include "libs/base/error.h"
#include "services/rules/app/errors.h"

namespace tarot::rules_service {
namespace {

constexpr pg::Statement kGetCell{"rules_get_cell", "SELECT cell_id FROM rules.cells"};

constexpr char kClaimEmptyDatabase[] =
    "UPDATE rules.cells SET cell_id = $1"
    " WHERE cell_id <> $1 AND NOT EXISTS (SELECT FROM rules.tables)";

absl::Status Compare(int of_database, int cell) {
  return of_database == cell ? absl::OkStatus() : DatabaseOfOtherCell(of_database, cell);
}

}  // namespace

absl::Status ClaimDatabase(const std::string& dsn, int cell) {
  try {
    pqxx::connection connection(dsn);
    pqxx::work tx(connection);
    tx.exec_params0(kClaimEmptyDatabase, cell);
    const int of_database = tx.exec1(kGetCell.sql)[0].as<int>();
    tx.commit();
    return Compare(of_database, cell);
  } catch (...) {
    return pg::StatusFromCurrentException();
  }
}

absl::StatusOr<int> CellOfDatabase(pg::Pool& pool) {
  return pool.With(kGetCell, [](pqxx::connection& connection) -> absl::StatusOr<int> {
    pqxx::nontransaction tx(connection);
    return tx.exec_prepared1(kGetCell.name)[0].as<int>();
  });
}

std::vector<pg::Statement> DatabaseCellStatements() { return {kGetCell}; }

absl::Status CheckDatabaseCell(pg::Pool& pool, int cell) {
  TAROT_ASSIGN_OR_RETURN(const int of_database, CellOfDatabase(pool));
  return Compare(of_database, cell);
}

}  // namespace tarot::rules_service
