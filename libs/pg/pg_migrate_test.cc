#include <gmock/gmock.h>
#include <prometheus/registry.h>

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/pg/migrate.h"
#include "libs/pg/schema_check.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/pg_test_migrations.h"

namespace tarot::pg {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
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

// A statement waits behind a migration that waits for a lock. So the migration must give up soon,
// let the statements go on, and try again. Without this, the INSERT would wait as long as the
// reader's transaction, and statement_timeout would cut it.
TEST(MigrateTest, StatementsGoOnBehindABlockedMigration) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<Migration> migrations = {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}};
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  migrations.push_back({2, "V0002__b.sql", "ALTER TABLE s.a ADD COLUMN y int"});
  pqxx::connection reader(dsn), writer(dsn);
  pqxx::nontransaction(writer).exec0("SET statement_timeout = '15s'");
  std::optional<pqxx::work> reading(std::in_place, reader);
  reading->exec("SELECT FROM s.a");  // From now on, an ALTER waits for the end of this transaction.
  absl::Status migrated;
  std::jthread job(
      [&] { migrated = Migrate(dsn, "s", migrations, {.pause = absl::Milliseconds(100)}); });
  for (int stalls = 0; stalls < 3 && !HasFailure();) {
    const Stopwatch watch;
    EXPECT_NO_THROW(pqxx::nontransaction(writer).exec0("INSERT INTO s.a (x) VALUES (1)"));
    stalls += watch.Elapsed() > absl::Milliseconds(100);
  }
  reading.reset();
  job.join();
  EXPECT_THAT(migrated, IsOk());
  EXPECT_THAT(Column(dsn, "SELECT count(y) FROM s.a"), ElementsAre("0"));
}

TEST(MigrateTest, AMigrationThatNeverGetsItsLockEndsWithAConflict) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(Migrate(dsn, "s", {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}}), IsOk());
  pqxx::connection reader(dsn);
  pqxx::work reading(reader);
  reading.exec("SELECT FROM s.a");
  EXPECT_THAT(Migrate(dsn, "s", {{2, "V0002__b.sql", "ALTER TABLE s.a ADD COLUMN y int"}},
                      {.lock_timeout = absl::Milliseconds(10),
                       .pause = absl::Milliseconds(1),
                       .attempts_max = 2}),
              HasReason("STORAGE_CONFLICT"));
}

// A failed CREATE INDEX CONCURRENTLY leaves an index that is not valid. So a migration with this
// statement first drops the index.
TEST(MigrateTest, MakesAnIndexWhileAWriterIsInATransaction) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const char* table = "CREATE TABLE s.a (x int); INSERT INTO s.a VALUES (1), (1)";
  const char* index =
      "-- Runs outside a transaction.\n"
      "DROP INDEX CONCURRENTLY IF EXISTS s.a_ix;\n"
      "CREATE UNIQUE INDEX CONCURRENTLY a_ix\n  ON s.a (x);\n";
  const std::vector<Migration> migrations = {{1, "V0001__a.sql", table},
                                             {2, "V0002__b.sql", index}};
  testing::internal::CaptureStderr();
  EXPECT_THAT(Migrate(dsn, "s", migrations), HasReason("ALREADY_STORED"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("a_ix"), Not(HasSubstr("(x)=(1)"))))
      << "The log must not show the value of the row.";
  pqxx::connection writer(dsn);
  pqxx::nontransaction(writer).exec0("DELETE FROM s.a");
  std::optional<pqxx::work> writing(std::in_place, writer);
  writing->exec0("INSERT INTO s.a VALUES (1)");
  absl::Status migrated;
  std::jthread job([&] { migrated = Migrate(dsn, "s", migrations); });
  const char* waits = "SELECT pid FROM pg_locks WHERE NOT granted AND locktype = 'virtualxid'";
  while (Column(dsn, waits).empty()) std::this_thread::yield();
  EXPECT_NO_THROW(writing->exec0("INSERT INTO s.a VALUES (2)"));
  writing->commit();
  job.join();
  EXPECT_THAT(migrated, IsOk());
  EXPECT_THAT(Column(dsn, "SELECT indisvalid FROM pg_index WHERE indexrelid = 's.a_ix'::regclass"),
              ElementsAre("t"));
}

TEST(SchemaCheckTest, NeedsTheNewestMigrationOrALaterOne) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const std::vector<Migration> first = {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}};
  std::vector<Migration> both = first;
  both.push_back({2, "V0002__b.sql", "CREATE TABLE s.b (x int)"});
  prometheus::Registry registry;
  SchemaCheck of_first(dsn, "s", first, registry), of_both(dsn, "s", both, registry);
  EXPECT_THAT(of_first.Check(), HasReason("SCHEMA_OLD"));
  ASSERT_THAT(Migrate(dsn, "s", first), IsOk());
  EXPECT_THAT(of_first.Check(), IsOk());
  EXPECT_THAT(of_both.Check(), HasReason("SCHEMA_OLD"));
  ASSERT_THAT(Migrate(dsn, "s", both), IsOk());
  EXPECT_THAT(of_first.Check(), IsOk()) << "the version before this one runs on the new schema";
  EXPECT_THAT(of_both.Check(), IsOk());
  EXPECT_THAT(Migrate(dsn, "s", first), IsOk()) << "the job of the version before changes nothing";
}

TEST(SchemaCheckTest, RefusesASchemaThatServesOnlyNewerPrograms) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<Migration> migrations = {
      {1, "V0001__a.sql", "CREATE TABLE s.a (x int, y int)"},
      {2, "V0002__b.sql", "CREATE TABLE s.b (x int)"},
      {3, "V0003__c.sql", "-- Oldest program: V0002.\nALTER TABLE s.a DROP COLUMN y"}};
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  prometheus::Registry registry;
  for (const auto& [known, reason] :
       {std::pair(3, ""), std::pair(2, ""), std::pair(1, "SCHEMA_NEW")}) {
    migrations.resize(static_cast<std::size_t>(known));
    SchemaCheck check(dsn, "s", migrations, registry);
    EXPECT_EQ(GetErrorDetails(check.Check()).reason, reason) << known;
    EXPECT_EQ(GetErrorDetails(Migrate(dsn, "s", migrations)).reason, reason) << known;
  }
}

// Older versions made the SQL table of the migrations without the column oldest_program.
TEST(SchemaCheckTest, TheJobBringsAnOlderListOfMigrationsToThisVersion) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const std::vector<Migration> migrations = {{1, "V0001__a.sql", "CREATE TABLE s.a (x int)"}};
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0("ALTER TABLE s.migrations DROP COLUMN oldest_program");
  prometheus::Registry registry;
  SchemaCheck check(dsn, "s", migrations, registry);
  EXPECT_THAT(check.Check(), HasReason("SCHEMA_OLD"));
  ASSERT_THAT(Migrate(dsn, "s", migrations), IsOk());
  EXPECT_THAT(check.Check(), IsOk());
}

TEST(SchemaCheckTest, ReportsAMissingDatabase) {
  prometheus::Registry registry;
  SchemaCheck check("host=/nowhere dbname=none", "s", {{1, "V0001__a.sql", ""}}, registry);
  EXPECT_THAT(check.Check(), HasReason("STORAGE_AWAY"));
}

TEST(MigrateTest, ReportsAMissingDatabase) {
  EXPECT_THAT(Migrate("host=/nowhere dbname=none", "s", {}), HasReason("STORAGE_AWAY"));
}

}  // namespace
}  // namespace tarot::pg
