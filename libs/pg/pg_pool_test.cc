#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "libs/base/clock.h"
#include "libs/pg/pool.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::pg {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

constexpr Statement kEcho{"test_echo", "SELECT $1::int"};

absl::StatusOr<int> Echo(Pool& pool, int value) {
  return pool.With(kEcho, [value](pqxx::connection& connection) -> absl::StatusOr<int> {
    pqxx::nontransaction tx(connection);
    return tx.exec_prepared1(kEcho.name, value)[0].as<int>();
  });
}

std::string Metrics(const prometheus::Registry& registry) {
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

TEST(PoolTest, RunsPreparedStatementsAndTimesThem) {
  prometheus::Registry registry;
  Pool pool({.dsn = testkit::PgCluster::Shared().NewDatabase()}, {kEcho}, registry);
  EXPECT_THAT(Metrics(registry),
              HasSubstr("tarot_pg_statement_seconds_count{statement=\"test_echo\"} 0"));
  EXPECT_EQ(Echo(pool, 7).value(), 7);
  EXPECT_THAT(Metrics(registry),
              HasSubstr("tarot_pg_statement_seconds_count{statement=\"test_echo\"} 1"));
  EXPECT_THAT(Metrics(registry), HasSubstr("tarot_pg_lease_wait_seconds_count 1"));
  EXPECT_THAT(Metrics(registry), HasSubstr("tarot_pg_connections_in_use 0"));
}

TEST(PoolTest, NeverOpensMoreThanItsConnections) {
  prometheus::Registry registry;
  Pool pool({.dsn = testkit::PgCluster::Shared().NewDatabase(), .connections = 3}, {kEcho},
            registry);
  EXPECT_THAT(Metrics(registry), HasSubstr("tarot_pg_connections_capacity 3"));
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 12; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) {
          const absl::Status status = pool.With(kEcho, [&](pqxx::connection& connection) {
            const int now = ++inside;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            pqxx::nontransaction(connection).exec_prepared1(kEcho.name, n);
            --inside;
            return absl::OkStatus();
          });
          if (!status.ok()) ++failures;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_LE(most, 3);
}

TEST(PoolTest, LimitsTheWaitForAConnection) {
  prometheus::Registry registry;
  Pool pool({.dsn = testkit::PgCluster::Shared().NewDatabase(),
             .connections = 1,
             .lease_wait_max = absl::Milliseconds(100)},
            {kEcho}, registry);
  const absl::Status outer = pool.With(kEcho, [&](pqxx::connection&) {
    const Stopwatch stopwatch;
    EXPECT_THAT(Echo(pool, 1), HasReason("STORAGE_AWAY"));
    EXPECT_GE(stopwatch.Elapsed(), absl::Milliseconds(95));
    return absl::OkStatus();
  });
  EXPECT_THAT(outer, IsOk());
  EXPECT_EQ(Echo(pool, 2).value(), 2);
}

TEST(PoolTest, CutsALongStatementAndContinues) {
  prometheus::Registry registry;
  Pool pool({.dsn = testkit::PgCluster::Shared().NewDatabase(),
             .connections = 1,
             .statement_timeout = absl::Milliseconds(500)},
            {kEcho}, registry);
  const absl::Status slow = pool.With(kEcho, [](pqxx::connection& connection) {
    pqxx::nontransaction(connection).exec("SELECT pg_sleep(60)");
    return absl::OkStatus();
  });
  EXPECT_THAT(slow, HasReason("STORAGE_SLOW"));
  EXPECT_EQ(Echo(pool, 3).value(), 3);
}

TEST(PoolTest, ReplacesAnIdleConnectionThatTheServerCut) {
  prometheus::Registry registry;
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  Pool pool({.dsn = dsn}, {kEcho}, registry);
  ASSERT_THAT(Echo(pool, 1), IsOk());
  pqxx::connection other(dsn);
  pqxx::nontransaction(other).exec(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_EQ(Echo(pool, 2).value(), 2);
}

TEST(PoolTest, ReconnectsWhenPostgresReturns) {
  testkit::PgCluster cluster;
  prometheus::Registry registry;
  Pool pool({.dsn = cluster.NewDatabase(), .connections = 2}, {kEcho}, registry);
  ASSERT_THAT(Echo(pool, 1), IsOk());
  cluster.Kill();
  for (int i = 0; i < 10; ++i) EXPECT_THAT(Echo(pool, 2), HasReason("STORAGE_AWAY"));
  cluster.Start();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Echo(pool, i).value(), i);
  cluster.Stop();
  EXPECT_THAT(Echo(pool, 3), HasReason("STORAGE_AWAY"));
  cluster.Start();
  EXPECT_EQ(Echo(pool, 4).value(), 4);
}

// If Postgres stops, a running statement soon ends with UNAVAILABLE. The statement may have been
// committed.
TEST(PoolTest, StatementInFlightIsUnavailableWhenPostgresDies) {
  testkit::PgCluster cluster;
  prometheus::Registry registry;
  Pool pool({.dsn = cluster.NewDatabase()}, {kEcho}, registry);
  ASSERT_THAT(Echo(pool, 1), IsOk());
  std::atomic<bool> started = false;
  absl::Status result;
  std::jthread sleeper([&] {
    result = pool.With(kEcho, [&](pqxx::connection& connection) {
      started = true;
      pqxx::nontransaction(connection).exec("SELECT pg_sleep(4)");
      return absl::OkStatus();
    });
  });
  while (!started) std::this_thread::yield();
  cluster.Stop();  // A stop in fast mode ends all sessions with SQLSTATE 57P01.
  sleeper.join();
  EXPECT_THAT(result, HasReason("STORAGE_AWAY"));
}

// A frozen server answers no statement, although its kernel still acknowledges data. Without the
// watchdog, the statement would wait until the server thaws.
TEST(PoolTest, CutsTheConnectionToAFrozenServer) {
  testkit::PgCluster cluster;
  prometheus::Registry registry;
  Pool pool({.dsn = cluster.NewDatabase(), .connections = 2, .statement_timeout = absl::Seconds(1)},
            {kEcho}, registry);
  ASSERT_EQ(Echo(pool, 1).value(), 1);
  cluster.Freeze();
  EXPECT_THAT(Echo(pool, 2), HasReason("STORAGE_AWAY")) << "It waits in a statement.";
  // The watchdog counts the cut after it, so the statement may end before the count.
  while (!absl::StrContains(Metrics(registry), "tarot_pg_connections_cut_total 1")) {
    std::this_thread::yield();
  }
  EXPECT_THAT(Echo(pool, 3), HasReason("STORAGE_AWAY")) << "It waits in a new connection.";
  cluster.Thaw();
  EXPECT_EQ(Echo(pool, 4).value(), 4);
}

TEST(PoolTest, CutsALeaseAfterAnUncutOne) {
  prometheus::Registry registry;
  Pool pool({.dsn = testkit::PgCluster::Shared().NewDatabase(),
             .connections = 2,
             .statement_timeout = absl::ZeroDuration()},  // Postgres sets no limit then.
            {kEcho}, registry);
  ASSERT_EQ(Echo(pool, 1).value(), 1);
  const absl::Status cut = pool.With(kEcho, [&](pqxx::connection& connection) {
    EXPECT_EQ(Echo(pool, 2).value(), 2) << "Another lease begins later and ends before.";
    pqxx::nontransaction(connection).exec("SELECT pg_sleep(60)");
    return absl::OkStatus();
  });
  EXPECT_THAT(cut, HasReason("STORAGE_AWAY"));
  EXPECT_EQ(Echo(pool, 3).value(), 3);
}

TEST(PoolTest, AddsSettingsToUrlsAndKeyValueDsns) {
  prometheus::Registry registry;
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const std::string directory = dsn.substr(5, dsn.find(' ') - 5);
  const std::string name = dsn.substr(dsn.rfind('=') + 1);
  Pool pool({.dsn = "postgresql:///" + name + "?user=tarot&host=" + directory,
             .application_name = "tarot-test"},
            {kEcho}, registry);
  const auto shown = pool.With(kEcho, [](pqxx::connection& connection) {
    return absl::StatusOr<std::string>(pqxx::nontransaction(connection)
                                           .exec1("SELECT current_setting('application_name')")[0]
                                           .as<std::string>());
  });
  EXPECT_EQ(shown.value(), "tarot-test");
}

}  // namespace
}  // namespace tarot::pg
