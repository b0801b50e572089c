// Tests the schemas, their roles and their migrations, together with the services that use them.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/pg/migrate.h"
#include "libs/rpc/server.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

using testing::Each;
using testing::IsEmpty;
using testkit::IsOk;

constexpr const char* kSchemas[] = {"rules", "matchmaking", "ratings", "admin"};
constexpr char kRefused[] = "42501";  // The SQLSTATE of a missing right.
constexpr int kNextVersion = 9'999;

// Returns the SQLSTATE of the error of `sql`, or "" if there is none. Changes nothing.
std::string StateOf(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  try {
    pqxx::work(connection).exec(sql);  // Rolls back.
    return "";
  } catch (const pqxx::insufficient_privilege&) {
    return kRefused;  // libpqxx does not keep the SQLSTATE in this exception.
  } catch (const pqxx::sql_error& e) {
    return e.sqlstate();
  }
}

std::vector<std::string> Column(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  std::vector<std::string> values;
  for (const pqxx::row& row : pqxx::nontransaction(connection).exec(sql)) {
    values.push_back(row[0].as<std::string>());
  }
  return values;
}

void Execute(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec(sql);
}

// Returns the SQL tables of `schema`, each as SCHEMA.NAME.
std::vector<std::string> TablesOf(const std::string& dsn, const std::string& schema) {
  return Column(dsn, absl::StrCat("SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') ",
                                  "AND relnamespace = '", schema, "'::regnamespace"));
}

// Selects every right that one of the four roles has but must not have. Each row is one text.
constexpr char kWrongRights[] = R"sql(
  SELECT role || ' may ' || what || ' ' || name FROM
    unnest(ARRAY['rules', 'matchmaking', 'ratings', 'admin']) AS service,
    LATERAL (SELECT 'tarot_' || service AS role) AS roles,
    LATERAL (
      SELECT what, n.nspname AS name FROM pg_namespace n, unnest(ARRAY['CREATE', 'USAGE']) AS what
      WHERE has_schema_privilege(role, n.oid, what)
        AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND (what = 'CREATE' OR n.nspname <> service)
      UNION ALL
      SELECT what, d.datname FROM pg_database d, unnest(ARRAY['CREATE', 'TEMP']) AS what
      WHERE d.datname = current_database() AND has_database_privilege(role, d.oid, what)
      UNION ALL
      SELECT what, c.oid::regclass::text FROM pg_class c,
        unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER', 'UPDATE', 'DELETE']) AS what
      WHERE c.relnamespace = service::regnamespace AND c.relkind IN ('r', 'p')
        AND has_table_privilege(role, c.oid, what)
        AND (what NOT IN ('UPDATE', 'DELETE') OR service = 'admin')
      UNION ALL
      SELECT what, c.oid::regclass::text
      FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS what
      WHERE c.relkind IN ('r', 'p', 'v')
        AND c.relnamespace::regnamespace::text IN ('rules', 'matchmaking', 'ratings', 'admin')
        AND c.relnamespace::regnamespace::text <> service AND has_table_privilege(role, c.oid, what)
      UNION ALL
      SELECT 'own', c.oid::regclass::text FROM pg_class c WHERE pg_get_userbyid(c.relowner) = role
      UNION ALL
      SELECT 'call', p.oid::regprocedure::text FROM pg_proc p
      WHERE p.pronamespace::regnamespace::text IN ('rules', 'matchmaking', 'ratings', 'admin')
        AND p.pronamespace::regnamespace::text <> service
        AND has_function_privilege(role, p.oid, 'EXECUTE')
    ) AS rights
)sql";

// Selects every right that a role needs in its own schema but does not have.
constexpr char kMissingRights[] = R"sql(
  SELECT role || ' may not ' || what || ' ' || name FROM
    unnest(ARRAY['rules', 'matchmaking', 'ratings', 'admin']) AS service,
    LATERAL (SELECT 'tarot_' || service AS role) AS roles,
    LATERAL (
      SELECT what, c.oid::regclass::text AS name
      FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS what
      WHERE c.relnamespace = service::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT has_table_privilege(role, c.oid, what)
        AND (what IN ('SELECT', 'INSERT') OR service <> 'admin')
      UNION ALL
      SELECT 'call', p.oid::regprocedure::text FROM pg_proc p
      WHERE p.pronamespace = service::regnamespace
        AND NOT has_function_privilege(role, p.oid, 'EXECUTE')
    ) AS rights
)sql";

TEST(MigrationTest, RolesOfServicesOnlyReadAndWriteRows) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}});
  EXPECT_THAT(Column(cluster.dsn(), kWrongRights), IsEmpty());
  EXPECT_THAT(Column(cluster.dsn(), kMissingRights), IsEmpty());
  for (const std::string service : kSchemas) {
    const std::string dsn = cluster.DsnOf(service);
    const std::vector<std::string> tables = TablesOf(cluster.dsn(), service);
    ASSERT_GE(tables.size(), 5u) << service;
    for (const std::string& table : tables) {
      EXPECT_EQ(StateOf(dsn, absl::StrCat("SELECT FROM ", table)), "") << table;
      for (const std::string& refused : {
               absl::StrCat("ALTER TABLE ", table, " ADD COLUMN x int"),
               absl::StrCat("TRUNCATE ", table),
               absl::StrCat("DROP TABLE ", table),
               absl::StrCat("CREATE INDEX ON ", table, " ((1))"),
           }) {
        EXPECT_EQ(StateOf(dsn, refused), kRefused) << refused;
      }
    }
    for (const std::string& refused : {
             absl::StrCat("CREATE TABLE ", service, ".x ()"),
             absl::StrCat("CREATE FUNCTION ", service, ".x() RETURNS int RETURN 1"),
             absl::StrCat("DROP SCHEMA ", service, " CASCADE"),
             std::string("CREATE SCHEMA x"),
             std::string("CREATE TABLE public.x ()"),
             std::string("CREATE TEMP TABLE x ()"),
             std::string("SET ROLE tarot_owner"),
         }) {
      EXPECT_EQ(StateOf(dsn, refused), kRefused) << service << ": " << refused;
    }
    for (const std::string other : kSchemas) {
      if (other == service) continue;
      for (const std::string& table : TablesOf(cluster.dsn(), other)) {
        EXPECT_EQ(StateOf(dsn, absl::StrCat("SELECT FROM ", table)), kRefused)
            << service << " reads " << table;
      }
    }
  }
}

// In databases of older versions, the role of a service owns its schema.
TEST(MigrationTest, TakesTheSchemasOfAnOlderDatabaseFromTheServices) {
  testkit::PgCluster postgres;
  const std::string host = absl::StrCat("host=", postgres.directory());
  const std::string superuser = host + " user=tarot dbname=tarot";
  Execute(host + " user=tarot dbname=postgres", "CREATE DATABASE tarot");
  const auto migrate = [&](const std::string& service, const std::string& role) {
    return std::system(absl::StrCat(TAROT_BIN_DIR, "/tarot-", service, " --migrate_only --dsn='",
                                    host, " dbname=tarot user=", role, "' >&2")
                           .c_str());
  };
  for (const std::string service : kSchemas) {
    const std::string role = "tarot_" + service;
    Execute(superuser, absl::StrCat("CREATE ROLE ", role, " LOGIN"));
    Execute(superuser, absl::StrCat("CREATE SCHEMA ", service, " AUTHORIZATION ", role));
    ASSERT_EQ(migrate(service, role), 0) << service;
  }
  EXPECT_FALSE(
      Column(superuser, "SELECT 1 FROM pg_class WHERE relowner = 'tarot_rules'::regrole").empty());
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(MakeRoles(host));
    for (const std::string service : kSchemas) {
      EXPECT_EQ(migrate(service, "tarot_owner"), 0) << service;
      EXPECT_NE(migrate(service, "tarot_" + service), 0) << "the service may not migrate";
    }
    EXPECT_THAT(Column(superuser, kWrongRights), IsEmpty());
    EXPECT_THAT(Column(superuser, kMissingRights), IsEmpty());
    EXPECT_THAT(Column(superuser,
                       "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace IN ("
                       "  SELECT oid FROM pg_namespace WHERE nspname IN"
                       "  ('rules', 'matchmaking', 'ratings', 'admin'))"),
                Each("tarot_owner"));
  }
}

// The schema of the next version has columns and SQL tables that these programs do not know. The
// programs must work with this schema for two reasons: an update migrates before it replaces the
// programs, and a rollback does not migrate back.
TEST(MigrationTest, ServicesPlayOnTheSchemaOfTheNextVersion) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}});
  Matches matches(cluster);
  ASSERT_TRUE(matches.Start(2));
  for (const std::string service : kSchemas) {
    std::string sql = absl::StrCat("CREATE TABLE ", service, ".of_the_next_version (x int);\n");
    for (const std::string& table : TablesOf(cluster.dsn(), service)) {
      // If a partitioned SQL table gets a column, its partitions get the column too.
      if (absl::EndsWith(table, ".migrations")) continue;
      if (!Column(cluster.dsn(), absl::StrCat("SELECT 1 FROM pg_inherits WHERE inhrelid = '", table,
                                              "'::regclass"))
               .empty()) {
        continue;
      }
      absl::StrAppend(&sql, "ALTER TABLE ", table, " ADD COLUMN of_the_next_version text;\n");
    }
    EXPECT_THAT(pg::Migrate(cluster.DsnOf("owner"), service,
                            {{kNextVersion, "V9999__expand.sql", sql.c_str()}}),
                IsOk());
  }
  for (const char* process : {"rules", "matchmaking", "ratings", "admin"}) {
    EXPECT_EQ(cluster.Kill(process, SIGTERM), 0);
    cluster.Start(process);
  }
  ASSERT_TRUE(matches.KeepPlaying(2));
  ASSERT_TRUE(matches.Finish(absl::Seconds(200)));
  matches.CheckPromises();
}

TEST(MigrationTest, AServiceWaitsForItsMigrations) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}});
  for (const std::string process : kSchemas) {
    SCOPED_TRACE(process);
    cluster.Kill(process, SIGKILL);
    // Lowers the number of the last version for a while, so that the schema looks too old.
    Execute(cluster.dsn(),
            absl::StrCat("UPDATE ", process, ".migrations SET version = version - ", kNextVersion,
                         " WHERE version = (SELECT max(version) FROM ", process, ".migrations)"));
    cluster.Launch(process);
    EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
      return cluster.Is(rpc::kLiveness, process) &&
             absl::StrContains(cluster.LogOf(process), "SCHEMA_OLD");
    })) << cluster.LogOf(process);
    EXPECT_FALSE(cluster.Is(rpc::kReadiness, process));
    Execute(cluster.dsn(), absl::StrCat("UPDATE ", process, ".migrations SET version = version + ",
                                        kNextVersion, " WHERE version < 0"));
    EXPECT_TRUE(Eventually(absl::Seconds(6), [&] { return cluster.Is(rpc::kReadiness, process); }));
  }
}

TEST(MigrationTest, AServiceRefusesASchemaThatServesOnlyNewerPrograms) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}});
  for (const std::string process : kSchemas) {
    SCOPED_TRACE(process);
    const std::string contract = absl::StrCat("-- Oldest program: V", kNextVersion,
                                              ".\nCREATE TABLE ", process, ".x (x int);\n");
    EXPECT_THAT(pg::Migrate(cluster.DsnOf("owner"), process,
                            {{kNextVersion, "V9999__contract.sql", contract.c_str()}}),
                IsOk());
    cluster.Kill(process, SIGKILL);
    cluster.Launch(process);
    EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
      return absl::StrContains(cluster.LogOf(process), "SCHEMA_NEW");
    })) << cluster.LogOf(process);
    const std::optional<int> status = cluster.Stop(process, absl::Seconds(20));
    ASSERT_TRUE(status.has_value());
    EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 1) << *status;
  }
}

TEST(MigrationTest, AReplicaOfRulesRefusesTheDatabaseOfAnotherCell) {
  Cluster cluster({.population = 0});
  cluster.Kill("rules", SIGKILL);
  Execute(cluster.dsn(), "UPDATE rules.cells SET cell_id = 7");
  cluster.Launch("rules");
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return absl::StrContains(cluster.LogOf("rules"),
                             "The database in --dsn belongs to cell 7, and this program has "
                             "--cell=0.");
  })) << cluster.LogOf("rules");
  const std::optional<int> status = cluster.Stop("rules", absl::Seconds(20));
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFEXITED(*status) && WEXITSTATUS(*status) == 1) << *status;
}

// Returns the longest time without an acknowledged action until `done` is true.
absl::Duration LongestStall(Matches& matches, const std::function<bool()>& done) {
  absl::Duration longest;
  std::size_t seen = matches.Acknowledged();
  Stopwatch since_move;
  while (!done()) {
    const std::size_t now = matches.Acknowledged();
    if (now != std::exchange(seen, now)) since_move = Stopwatch();
    longest = std::max(longest, since_move.Elapsed());
    absl::SleepFor(absl::Milliseconds(2));
  }
  return longest;
}

// A long transaction has read the log. So an ALTER of the log must wait for the end of this
// transaction, and all moves wait behind the ALTER. Therefore the migration gives up after half a
// second, so that the moves go on. Then it tries again, until the long transaction has ended.
TEST(MigrationTest, MovesStallAtMostASecondBehindABlockedMigration) {
  constexpr int kTables = 6;
  constexpr absl::Duration kLong = absl::Seconds(12);
  Cluster cluster({.population = 0, .fsync = false});
  Matches matches(cluster);
  ASSERT_TRUE(matches.Start(kTables));
  Stopwatch watch;
  const absl::Duration usual =
      LongestStall(matches, [&] { return watch.Elapsed() > absl::Seconds(5); });
  ASSERT_TRUE(matches.KeepPlaying(kTables));

  pqxx::connection reader(cluster.dsn());
  std::optional<pqxx::work> reading(std::in_place, reader);
  reading->exec("SELECT FROM rules.table_actions LIMIT 1");
  absl::Status migrated;
  std::jthread job([&] {
    migrated = pg::Migrate(cluster.DsnOf("owner"), "rules",
                           {{kNextVersion, "V9999__alter.sql",
                             "ALTER TABLE rules.table_actions ADD COLUMN next text"}});
  });
  const std::size_t before = matches.Acknowledged();
  watch = Stopwatch();
  pqxx::connection connection(cluster.dsn());
  pqxx::nontransaction locks(connection);
  int behind = 0;  // The largest number of statements that waited for the SQL table at the same
                   // time.
  const absl::Duration longest = LongestStall(matches, [&] {
    const char* waits =
        "SELECT count(*) FROM pg_locks"
        " WHERE NOT granted AND relation = 'rules.table_actions'::regclass";
    behind = std::max(behind, locks.exec1(waits)[0].as<int>());
    return watch.Elapsed() > kLong || matches.AllFinished();
  });
  const std::size_t moves = matches.Acknowledged() - before;
  reading.reset();
  job.join();
  EXPECT_THAT(migrated, IsOk());
  std::printf("%zu moves while the migration waited; longest stall %.2f s, without it %.2f s\n",
              moves, absl::ToDoubleSeconds(longest), absl::ToDoubleSeconds(usual));
  EXPECT_GE(behind, 2) << "no move waited behind the migration";
  EXPECT_GT(moves, 100u);
  EXPECT_LE(longest, absl::Seconds(1) + usual);
  ASSERT_TRUE(matches.Finish(absl::Seconds(200)));
  matches.CheckPromises();
}

}  // namespace
}  // namespace tarot::e2e
