#include "libs/testkit/pg_fixture.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <pqxx/pqxx>
#include <string>

namespace tarot::testkit {
namespace {

int CountRows(const std::string& dsn) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1("SELECT count(*) FROM t")[0].as<int>();
}

void Write(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0(sql);
}

std::string DirectoryOf(const std::string& dsn) {
  // The DSN has the form "host=DIRECTORY user=...".
  return dsn.substr(5, dsn.find(' ') - 5);
}

TEST(PgClusterTest, SeparatesDatabases) {
  const std::string a = PgCluster::Shared().NewDatabase();
  const std::string b = PgCluster::Shared().NewDatabase();
  Write(a, "CREATE TABLE t (x int)");
  EXPECT_EQ(CountRows(a), 0);
  EXPECT_THROW(CountRows(b), pqxx::undefined_table);
}

TEST(PgClusterTest, StartsAgainAfterStopAndKill) {
  PgCluster cluster({.fsync = true});
  const std::string dsn = cluster.NewDatabase();
  Write(dsn, "CREATE TABLE t (x int); INSERT INTO t VALUES (1)");
  cluster.Stop();
  EXPECT_THROW(CountRows(dsn), pqxx::broken_connection);
  cluster.Start();
  EXPECT_EQ(CountRows(dsn), 1);
  Write(dsn, "INSERT INTO t VALUES (2)");
  cluster.Kill();
  EXPECT_THROW(CountRows(dsn), pqxx::broken_connection);
  cluster.Start();
  EXPECT_EQ(CountRows(dsn), 2);
}

TEST(PgClusterTest, RemovesItsDirectory) {
  std::string directory;
  {
    PgCluster cluster;
    directory = DirectoryOf(cluster.NewDatabase());
    ASSERT_TRUE(std::filesystem::exists(directory));
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

// If a signal ends a test, its cluster must stop.
TEST(PgClusterTest, CleansUpAfterACrash) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    PgCluster cluster;
    const std::string dsn = cluster.NewDatabase();
    if (::write(ends[1], dsn.data(), dsn.size()) > 0) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  char buffer[256];
  const ssize_t size = ::read(ends[0], buffer, sizeof buffer);
  ASSERT_GT(size, 0);
  const std::string directory = DirectoryOf(std::string(buffer, static_cast<std::size_t>(size)));
  for (int i = 0; i < 100 && std::filesystem::exists(directory); ++i) ::usleep(100'000);
  EXPECT_FALSE(std::filesystem::exists(directory));
}

}  // namespace
}  // namespace tarot::testkit
