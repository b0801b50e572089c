// Tests what happens to play when Postgres fails: the primary dies or freezes and a synchronous
// standby replaces it, the new primary lags behind, or a disk is full. Also tests the TCP options
// of connections. Every chaos run covers restarts, slow answers and cut connections.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <prometheus/registry.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/pg/pool.h"
#include "tests/chaos/database_play.h"
#include "tests/chaos/pg_proxy.h"
#include "tests/e2e/eventually.h"

namespace tarot::chaos {
namespace {

constexpr int kTables = 16;

void Execute(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec(sql);
}

template <typename T>
T Ask(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1(sql)[0].as<T>();
}

// Compares the history of `play` with the database of `dsn`.
void ExpectAgreement(DatabasePlay& play, const std::string& dsn) {
  const absl::StatusOr<check::Report> report = play.Finish(dsn);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->ok()) << Text(*report);
  EXPECT_GT(report->acknowledged, 200);
}

// Returns a DSN that finds which of `primary` and `standby` is writable; `dsn` names only
// `primary`.
std::string WithStandby(const std::string& dsn, const testkit::PgCluster& primary,
                        const testkit::PgCluster& standby) {
  const std::string both = absl::StrCat(primary.directory(), ",", standby.directory());
  return absl::StrReplaceAll(dsn, {{primary.directory(), both}}) +
         " target_session_attrs=read-write";
}

// Waits until each table that was unfinished at the call has a new entry in its log in the database
// of `dsn`.
void ExpectThatEveryTableContinues(const std::string& dsn) {
  const auto now = Ask<std::string>(dsn, "SELECT now()");
  EXPECT_TRUE(e2e::Eventually(absl::Seconds(60), [&] {
    return Ask<bool>(dsn, absl::StrCat("SELECT NOT EXISTS (SELECT FROM rules.tables t WHERE"
                                       " finish_time IS NULL AND create_time < '",
                                       now,
                                       "' AND NOT EXISTS (SELECT FROM rules.table_actions a WHERE"
                                       " a.table_id = t.table_id AND a.create_time > '",
                                       now, "'))"));
  })) << "a table has no play";
}

// Plays on a primary with a synchronous standby, lets `fail` break the primary, and promotes the
// standby.
void PlayThroughAFailover(void (testkit::PgCluster::*fail)()) {
  testkit::PgCluster primary({.fsync = true});
  const std::string dsn = primary.NewDatabase();
  testkit::PgCluster standby({.fsync = true, .standby_of = primary.directory()});
  Execute(dsn, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  Execute(dsn, "SELECT pg_reload_conf()");
  ASSERT_TRUE(e2e::Eventually(absl::Seconds(20), [&] {
    pqxx::connection connection(dsn);
    return !pqxx::nontransaction(connection)
                .exec("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")
                .empty();
  })) << "the standby does not follow";

  const std::string standby_dsn =
      absl::StrReplaceAll(dsn, {{primary.directory(), standby.directory()}});
  DatabasePlay play(WithStandby(dsn, primary, standby), kTables);
  (primary.*fail)();
  standby.Promote();
  Execute(standby_dsn, "ALTER SYSTEM RESET synchronous_standby_names");
  Execute(standby_dsn, "SELECT pg_reload_conf()");
  EXPECT_TRUE(play.MovesWithin(absl::Seconds(30))) << "play does not continue";
  ExpectThatEveryTableContinues(standby_dsn);
  ExpectAgreement(play, standby_dsn);
}

// With synchronous replication, the standby has every acknowledged move when the primary dies.
TEST(PostgresTest, KeepsAcknowledgedMovesWhenThePrimaryIsLost) {
  PlayThroughAFailover(&testkit::PgCluster::Kill);
}

// The kernel of a frozen primary still acknowledges data. So only the watchdog of the pool ends the
// statements that wait for the primary.
TEST(PostgresTest, KeepsAcknowledgedMovesWhenThePrimaryFreezes) {
  PlayThroughAFailover(&testkit::PgCluster::Freeze);
}

// Without synchronous replication, the moves that the standby lacks are lost. But every table
// continues from its log on the standby.
TEST(PostgresTest, PlayContinuesOnAStandbyThatLaggedBehind) {
  constexpr char kEntries[] = "SELECT count(*) FROM rules.table_actions";
  testkit::PgCluster primary({.fsync = true});
  const std::string dsn = primary.NewDatabase();
  testkit::PgCluster standby({.fsync = true, .standby_of = primary.directory()});
  const std::string standby_dsn =
      absl::StrReplaceAll(dsn, {{primary.directory(), standby.directory()}});
  const DatabasePlay play(WithStandby(dsn, primary, standby), kTables);
  Execute(standby_dsn, "ALTER SYSTEM SET primary_conninfo = ''");
  Execute(standby_dsn, "SELECT pg_reload_conf()");
  ASSERT_TRUE(e2e::Eventually(absl::Seconds(20), [&] {
    return Ask<int>(standby_dsn, "SELECT count(*) FROM pg_stat_wal_receiver") == 0;
  })) << "the standby still follows";
  ASSERT_TRUE(play.MovesWithin(absl::Seconds(30)));
  const int stored = Ask<int>(dsn, kEntries);
  primary.Kill();
  standby.Promote();
  EXPECT_LT(Ask<int>(standby_dsn, kEntries), stored) << "nothing was lost";
  ExpectThatEveryTableContinues(standby_dsn);
  EXPECT_TRUE(play.MovesWithin(absl::Seconds(30))) << "play does not continue";
  EXPECT_EQ(Ask<int>(standby_dsn,
                     "SELECT count(*) FROM (SELECT FROM rules.table_actions GROUP BY table_id"
                     " HAVING max(revision) <> count(*)) AS gaps"),
            0);
}

// Tests the TCP options of a connection. Without them, a server that vanishes silently would block
// the connection for 15 minutes.
TEST(PostgresConnectionTest, DetectsAServerThatVanished) {
  testkit::PgCluster& postgres = testkit::PgCluster::Shared();
  const PgProxy proxy("127.0.0.1", postgres.directory() + "/.s.PGSQL.5432");
  const std::string dsn = absl::StrReplaceAll(
      postgres.NewDatabase(),
      {{postgres.directory(), absl::StrCat("127.0.0.1 sslmode=disable port=", proxy.port())}});
  constexpr pg::Statement kOne{"test_one", "SELECT 1"};
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .statement_timeout = absl::Seconds(5)}, {kOne}, registry);
  const auto option = [&](int level, int name) {
    return pool.With(kOne, [&](pqxx::connection& connection) -> absl::StatusOr<int> {
      int value = -1;
      socklen_t size = sizeof value;
      EXPECT_EQ(getsockopt(connection.sock(), level, name, &value, &size), 0);
      return value;
    });
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE).value_or(-1), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE).value_or(-1), 2);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL).value_or(-1), 2);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT).value_or(-1), 7000) << "ms";
}

// Moves fail while the disk is full. No move is lost, and play continues when there is room.
TEST(PostgresTest, FullDiskStopsPlayAndLosesNothing) {
  testkit::PgCluster small({.fsync = true, .disk_mb = 160});
  const std::string dsn = small.NewDatabase();
  DatabasePlay play(dsn, kTables);
  const std::string filler = small.directory() + "/filler";
  {
    std::ofstream out(filler, std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  EXPECT_THROW(Execute(dsn, "CREATE TABLE more AS SELECT generate_series(1, 1000000)"),
               pqxx::failure);
  EXPECT_TRUE(e2e::Eventually(absl::Seconds(60), [&] {
    const long before = play.moves();
    usleep(1'500'000);
    return play.moves() == before;
  })) << "play continues on a full disk";
  std::filesystem::remove(filler);
  // Postgres stops when it has no room for its own log. A supervisor starts it again.
  const std::string pid_file = small.directory() + "/data/postmaster.pid";
  if (!std::filesystem::exists(pid_file)) small.Start();
  EXPECT_TRUE(play.MovesWithin(absl::Seconds(30))) << "play does not continue";
  ExpectAgreement(play, dsn);
}

}  // namespace
}  // namespace tarot::chaos
