// Tests the Patroni cluster of deploy/ha without services. `tools/dev bench ha` breaks it in more
// ways while people play.
#include <gtest/gtest.h>

#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/chaos/ha_cluster.h"
#include "tests/e2e/eventually.h"

namespace tarot::chaos {
namespace {

// Runs a statement on the primary. Tries again for three minutes while no primary answers or the
// statement fails, because on a busy machine a cluster may change its primary at any time. The
// result is the last error.
testing::AssertionResult Execute(const HaCluster& nodes, const std::string& sql) {
  std::string error;
  const bool done = e2e::Eventually(absl::Minutes(3), [&] {
    try {
      pqxx::connection connection(absl::StrCat(nodes.dsn(), " connect_timeout=2"));
      pqxx::nontransaction(connection).exec(sql);
      return true;
    } catch (const pqxx::failure& failure) {
      error = failure.what();
      return false;
    }
  });
  return done ? testing::AssertionSuccess() : testing::AssertionFailure() << error;
}

// With version 3 of etcd's interface, Patroni 3.0.2 failed this test: the thawed primary took the
// leader key from the new primary, and the row that the new primary had stored was lost.
TEST(HaTest, AThawedPrimaryGivesWayToTheNewOne) {
  HaCluster nodes;
  ASSERT_TRUE(nodes.WaitForStandbys(2));
  ASSERT_TRUE(Execute(nodes, "CREATE TABLE IF NOT EXISTS moves (number int)"));
  int old_primary = 0;
  ASSERT_TRUE(e2e::Eventually(absl::Minutes(3), [&] {
    old_primary = nodes.Primary();
    return old_primary != 0;
  }));

  nodes.FreezeServer(old_primary);
  // The commit needs a new primary with a standby.
  ASSERT_TRUE(Execute(nodes, "INSERT INTO moves VALUES (1)"));

  nodes.Thaw(old_primary);
  ASSERT_TRUE(nodes.WaitForStandbys(2));
  ASSERT_TRUE(nodes.WaitUntilSafe());
  // The division fails if the row is lost.
  EXPECT_TRUE(Execute(nodes, "SELECT 1 / count(*) FROM moves"));

  const std::string clear = absl::StrReplaceAll(nodes.dsn(), {{"verify-full", "disable"}});
  EXPECT_THROW(pqxx::connection{clear}, pqxx::broken_connection) << "a connection without TLS";
}

}  // namespace
}  // namespace tarot::chaos
