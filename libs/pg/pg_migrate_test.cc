#include <gmock/gmock.h>

#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/pg_test_migrations.h"

namespace tarot::pg {
namespace {

using testing::ElementsAre;
using testkit::HasReason;
using testkit::IsOk;

std::vector<std::string> Column(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  std::vector<std::string> values;
  for (const pqxx::row& row : pqxx::nontransaction(connection).exec(sql)) {
    values.push_back(row[0].as<std::string>());
  }
  return values;
}

TEST(MigrateTest, AppliesTheBuiltInFilesOnce) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(Migrate(dsn, "migrate_test", migrate_test::Migrations()), IsOk());
  ASSERT_THAT(Migrate(dsn, "migrate_test", migrate_test::Migrations()), IsOk());
  EXPECT_THAT(Column(dsn, "SELECT name FROM migrate_test.migrations ORDER BY version"),
              ElementsAre("V0001__create_things.sql", "V0008__add_colour.sql"));
  EXPECT_THAT(Column(dsn, "SELECT text FROM migrate_test.things"), ElementsAre("a;b'c\\n${d}@e@"));
}

TEST(MigrateTest, RefusesAChangedFile) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<Migration> migrations = {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}};
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  migrations[0].sql = "CREATE TABLE s.a (x bigint)";
  EXPECT_THAT(Migrate(dsn, "s", migrations), HasReason("MIGRATION_CHANGED"));
}

TEST(MigrateTest, FailedFileLeavesNothingAndIsTriedAgain) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const char* broken = "CREATE TABLE s.a (x int); SELECT no_such_function()";
  EXPECT_THAT(Migrate(dsn, "s", {{1, "V0001__a.sql", broken}}), HasReason("BUG"));
  EXPECT_THAT(Migrate(dsn, "s", {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}}), IsOk());
}

TEST(MigrateTest, ReplicasThatStartTogetherDoNotClash) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<absl::Status> results(6);
  {
    std::vector<std::jthread> replicas;
    for (absl::Status& result : results) {
      replicas.emplace_back(
          [&] { result = Migrate(dsn, "migrate_test", migrate_test::Migrations()); });
    }
  }
  EXPECT_THAT(results, testing::Each(IsOk()));
  EXPECT_EQ(Column(dsn, "SELECT thing_id FROM migrate_test.things").size(), 1u);
}

// A long transaction holds a lock that the migration needs. Other statements must not wait behind
// the migration until this transaction ends.
TEST(MigrateTest, WaitsForALockWithoutDelayingOtherStatements) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<Migration> migrations = {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}};
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  migrations.push_back({2, "V0002__b.sql", "ALTER TABLE s.a RENAME TO b"});
  pqxx::connection holder(dsn), other(dsn);
  pqxx::work long_transaction(holder);
  long_transaction.exec("SELECT FROM s.a");
  absl::Status migrated;
  {
    const std::jthread thread([&] { migrated = Migrate(dsn, "s", migrations); });
    const char* waits = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 's.a'::regclass";
    while (Column(dsn, waits).empty()) std::this_thread::yield();
    pqxx::nontransaction tx(other);
    tx.exec("SET statement_timeout = '30s'");
    EXPECT_NO_THROW(tx.exec("SELECT FROM s.a"));
    long_transaction.commit();
  }
  EXPECT_THAT(migrated, IsOk());
  EXPECT_TRUE(Column(dsn, "SELECT x FROM s.b").empty());
}

TEST(MigrateTest, ReportsAMissingDatabase) {
  EXPECT_THAT(Migrate("host=/nowhere dbname=none", "s", {}), HasReason("STORAGE_AWAY"));
}

}  // namespace
}  // namespace tarot::pg
