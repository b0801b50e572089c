#include <gtest/gtest.h>

#include "libs/base/cell.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/rules_migrations.h"
#include "services/rules/storage/database_cell.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

constexpr char kInsertTable[] =
    "INSERT INTO rules.tables (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked,"
    " create_time) VALUES ($1, 'fft', 1, 1, 1, false, now())";

void InsertTable(const std::string& dsn, const Uuid& id) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec_params0(kInsertTable, id.ToString());
}

int CellOfDatabase(const std::string& dsn) {
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .connections = 1}, DatabaseCellStatements(), registry);
  const absl::StatusOr<int> cell = rules_service::CellOfDatabase(pool);
  EXPECT_THAT(cell, IsOk());
  return cell.value_or(-1);
}

// The migration finds the cell of a database that older programs have used.
TEST(PgDatabaseCellTest, ADatabaseOfTheOldVersionKeepsTheCellOfItsTables) {
  SeededEntropy entropy(1);
  struct Case {
    std::optional<Uuid> table;
    int cell;
  };
  for (const Case& c : {Case{std::nullopt, 0}, Case{entropy.NewUuid(), 0},
                        Case{NewTableUuid(entropy, absl::UnixEpoch(), 0), 0},
                        Case{NewTableUuid(entropy, absl::UnixEpoch(), 1), 1},
                        Case{NewTableUuid(entropy, absl::UnixEpoch(), kCellMax), kCellMax}}) {
    SCOPED_TRACE(c.cell);
    const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
    std::vector<pg::Migration> old_migrations = Migrations();
    old_migrations.resize(9);
    ASSERT_THAT(pg::Migrate(dsn, "rules", old_migrations), IsOk());
    if (c.table) InsertTable(dsn, *c.table);
    ASSERT_THAT(pg::Migrate(dsn, "rules", Migrations()), IsOk());
    EXPECT_EQ(CellOfDatabase(dsn), c.cell);
  }
}

TEST(PgDatabaseCellTest, OnlyADatabaseWithoutTablesChangesItsCell) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "rules", Migrations()), IsOk());
  EXPECT_THAT(ClaimDatabase(dsn, 3), IsOk());
  EXPECT_EQ(CellOfDatabase(dsn), 3);
  EXPECT_THAT(ClaimDatabase(dsn, 2), IsOk());
  EXPECT_EQ(CellOfDatabase(dsn), 2);
  SeededEntropy entropy(1);
  InsertTable(dsn, NewTableUuid(entropy, absl::UnixEpoch(), 2));
  EXPECT_THAT(ClaimDatabase(dsn, 2), IsOk());
  EXPECT_THAT(ClaimDatabase(dsn, 0), HasReason("DATABASE_OF_OTHER_CELL"));
  EXPECT_EQ(CellOfDatabase(dsn), 2);
}

}  // namespace
}  // namespace tarot::rules_service
