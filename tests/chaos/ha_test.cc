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

// Runs a statement on the primary. Returns false if no primary answers or the statement fails.
bool Execute(const HaCluster& nodes, const std::string& sql) {
  try {
    pqxx::connection connection(absl::StrCat(nodes.dsn(), " connect_timeout=2"));
    pqxx::nontransaction(connection).exec(sql);
    return true;
  } catch (const pqxx::failure&) {
    return false;
  }
}

// With version 3 of etcd's interface, Patroni 3.0.2 failed this test: the thawed primary took the
// leader key from the new primary, and the row that the new primary had stored was lost.
TEST(HaTest, AThawedPrimaryGivesWayToTheNewOne) {
  HaCluster nodes;
  ASSERT_TRUE(nodes.WaitForStandbys(2));
  const int old_primary = nodes.Primary();
  ASSERT_TRUE(Execute(nodes, "CREATE TABLE moves (number int)"));

  nodes.FreezeServer(old_primary);
  // The commit needs a new primary with a standby.
  ASSERT_TRUE(e2e::Eventually(absl::Minutes(3),
                              [&] { return Execute(nodes, "INSERT INTO moves VALUES (1)"); }));
  const int new_primary = nodes.Primary();
  EXPECT_NE(new_primary, old_primary);

  nodes.Thaw(old_primary);
  ASSERT_TRUE(nodes.WaitForStandbys(2));
  ASSERT_TRUE(nodes.WaitUntilSafe());
  EXPECT_EQ(nodes.Primary(), new_primary);
  EXPECT_TRUE(Execute(nodes, "SELECT 1 / count(*) FROM moves")) << "the row is lost";

  const std::string clear = absl::StrReplaceAll(nodes.dsn(), {{"verify-full", "disable"}});
  EXPECT_THROW(pqxx::connection{clear}, pqxx::broken_connection) << "a connection without TLS";
}

}  // namespace
}  // namespace tarot::chaos
