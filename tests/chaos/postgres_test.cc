// Tests failover of Postgres to a synchronous standby, failover to a standby that lags behind, a
// full disk, and the TCP options of connections. Every chaos run covers restarts, slow answers and
// cut connections.
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
#include "libs/base/real_clock.h"
#include "libs/pg/pool.h"
#include "tests/chaos/pg_proxy.h"
#include "tests/e2e/cluster.h"
#include "tools/load/check/checker.h"
#include "tools/load/load.h"

namespace tarot::chaos {
namespace {

void Execute(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec(sql);
}

template <typename T>
T Ask(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1(sql)[0].as<T>();
}

// Uses the test's own Postgres instead of the cluster's.
class OwnPostgres final : public e2e::Surroundings {
 public:
  explicit OwnPostgres(std::string dsn) : dsn_(std::move(dsn)) {}
  std::string DsnOf(const std::string&) override { return dsn_; }

 private:
  const std::string dsn_;
};

class PostgresTest : public testing::Test {
 protected:
  // Starts a cluster on the database of `dsn` and a load that plays on it.
  void Play(const std::string& dsn) {
    surroundings_ = std::make_unique<OwnPostgres>(dsn);
    cluster_ = std::make_unique<e2e::Cluster>(
        e2e::ClusterOptions{.population = 0, .surroundings = surroundings_.get()});
    options_.gateways = {cluster_->AddressOf("gateway")};
    options_.rules = {cluster_->AddressOf("rules")};
    options_.internal_key_file = cluster_->directory() + "/internal.keys";
    options_.tables = 16;
    options_.think = absl::Milliseconds(100);
    auto history = load::HistoryWriter::Create(path_);
    ASSERT_TRUE(history.ok());
    history_ = *std::move(history);
    auto load = load::Load::Create(options_, clock_, scheduler_, entropy_, *history_);
    ASSERT_TRUE(load.ok()) << load.status();
    load_ = *std::move(load);
    ASSERT_TRUE(load_->Start().ok());
    ASSERT_TRUE(MovesWithin(absl::Seconds(30))) << "play does not begin";
  }

  // Returns whether the load makes 100 more moves within `limit`.
  bool MovesWithin(absl::Duration limit) {
    const long before = load_->counters().moves;
    return e2e::Eventually(limit, [&] { return load_->counters().moves >= before + 100; });
  }

  // Ends the load and compares its history with the database of `dsn`.
  void ExpectAgreement(const std::string& dsn) {
    load_->Stop();
    history_.reset();
    EXPECT_TRUE(e2e::Eventually(absl::Seconds(30), [&] {
      pqxx::connection connection(dsn);
      return pqxx::nontransaction(connection)
          .exec1("SELECT NOT EXISTS (SELECT FROM rules.outbox)")[0]
          .as<bool>();
    })) << "ends of matches are still in the outbox";
    const absl::StatusOr<check::Database> database =
        check::ReadDatabase(dsn, cluster_->directory() + "/seed.keys");
    ASSERT_TRUE(database.ok()) << database.status();
    check::Checker checker(*database, {});
    ASSERT_TRUE(load::ReadHistory(path_, [&](const load::Event& e) { checker.See(e); }).ok());
    const check::Report report = checker.Finish();
    EXPECT_TRUE(report.ok()) << Text(report);
    EXPECT_GT(report.acknowledged, 200);
    unlink(path_.c_str());
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/postgres-", getpid(), ".gz");
  std::unique_ptr<OwnPostgres> surroundings_;
  std::unique_ptr<e2e::Cluster> cluster_;
  load::Options options_;
  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  std::unique_ptr<load::HistoryWriter> history_;
  std::unique_ptr<load::Load> load_;
};

// With synchronous replication the standby has every acknowledged move when the primary dies in the
// middle of play.
TEST_F(PostgresTest, KeepsAcknowledgedMovesWhenThePrimaryIsLost) {
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
  Play(absl::StrReplaceAll(dsn, {{primary.directory(),
                                  absl::StrCat(primary.directory(), ",", standby.directory())}}) +
       " target_session_attrs=read-write");
  primary.Kill();
  standby.Promote();
  Execute(standby_dsn, "ALTER SYSTEM RESET synchronous_standby_names");
  Execute(standby_dsn, "SELECT pg_reload_conf()");
  EXPECT_TRUE(MovesWithin(absl::Seconds(30))) << "play does not continue";
  ExpectAgreement(standby_dsn);
}

// Without synchronous replication the moves that the standby lacks are lost. But every table
// continues, and no table continues from a lost move.
TEST_F(PostgresTest, PlayContinuesOnAStandbyThatLaggedBehind) {
  constexpr char kEntries[] = "SELECT count(*) FROM rules.table_actions";
  testkit::PgCluster primary({.fsync = true});
  const std::string dsn = primary.NewDatabase();
  testkit::PgCluster standby({.fsync = true, .standby_of = primary.directory()});
  const std::string standby_dsn =
      absl::StrReplaceAll(dsn, {{primary.directory(), standby.directory()}});
  Play(absl::StrReplaceAll(dsn, {{primary.directory(),
                                  absl::StrCat(primary.directory(), ",", standby.directory())}}) +
       " target_session_attrs=read-write");
  Execute(standby_dsn, "ALTER SYSTEM SET primary_conninfo = ''");
  Execute(standby_dsn, "SELECT pg_reload_conf()");
  ASSERT_TRUE(e2e::Eventually(absl::Seconds(20), [&] {
    return Ask<int>(standby_dsn, "SELECT count(*) FROM pg_stat_wal_receiver") == 0;
  })) << "the standby still follows";
  ASSERT_TRUE(MovesWithin(absl::Seconds(30)));
  const int stored = Ask<int>(dsn, kEntries);
  primary.Kill();
  standby.Promote();
  EXPECT_LT(Ask<int>(standby_dsn, kEntries), stored) << "nothing was lost";
  const auto promoted = Ask<std::string>(standby_dsn, "SELECT now()");
  EXPECT_TRUE(e2e::Eventually(absl::Seconds(60), [&] {
    return Ask<bool>(standby_dsn,
                     absl::StrCat("SELECT NOT EXISTS (SELECT FROM rules.tables t WHERE"
                                  " finish_time IS NULL AND create_time < '",
                                  promoted,
                                  "' AND NOT EXISTS (SELECT FROM rules.table_actions a WHERE"
                                  " a.table_id = t.table_id AND a.create_time > '",
                                  promoted, "'))"));
  })) << "a table stands still";
  EXPECT_TRUE(MovesWithin(absl::Seconds(30))) << "play does not continue";
  EXPECT_EQ(Ask<int>(standby_dsn,
                     "SELECT count(*) FROM (SELECT FROM rules.table_actions GROUP BY table_id"
                     " HAVING max(revision) <> count(*)) AS gaps"),
            0);
  load_->Stop();
  unlink(path_.c_str());
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
TEST_F(PostgresTest, FullDiskStopsPlayAndLosesNothing) {
  testkit::PgCluster small({.fsync = true, .disk_mb = 160});
  const std::string dsn = small.NewDatabase();
  Play(dsn);
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
    const long before = load_->counters().moves;
    usleep(1'500'000);
    return load_->counters().moves == before;
  })) << "play continues on a full disk";
  std::filesystem::remove(filler);
  // Postgres stops when it has no room for its own log. A supervisor starts it again.
  const std::string pid_file = small.directory() + "/data/postmaster.pid";
  if (!std::filesystem::exists(pid_file)) small.Start();
  EXPECT_TRUE(MovesWithin(absl::Seconds(30))) << "play does not continue";
  ExpectAgreement(dsn);
}

}  // namespace
}  // namespace tarot::chaos
