// kill -9 of any one process in the middle of matches, then starting it again: every acknowledged
// action is still there, matches finish, each is rated exactly once.
#include <gtest/gtest.h>
#include <signal.h>

#include <pqxx/pqxx>

#include "libs/base/stopwatch.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/player.h"

namespace tarot::e2e {
namespace {

long Count(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1(sql)[0].as<long>();
}

class KillTest : public testing::Test {
 protected:
  // Four people at a ranked table, all playing.
  void StartMatch() {
    for (const char* name : {"Ana", "Bo", "Chloé", "Driss"}) {
      players_.push_back(std::make_unique<Player>(cluster_.SignIn(name), name));
      players_.back()->Play("queues/ranked4");
    }
    ASSERT_TRUE(Eventually(absl::Seconds(60), [&] { return Acknowledged() > 0; }))
        << "no match began";
  }

  std::size_t Acknowledged() {
    std::size_t sum = 0;
    for (const auto& player : players_) sum += player->acknowledged().size();
    return sum;
  }

  bool AllFinished() {
    for (const auto& player : players_) {
      if (!player->finished()) return false;
    }
    return true;
  }

  // What the database says of everything that was promised.
  void CheckPromises() {
    for (const auto& player : players_) {
      EXPECT_EQ(player->error(), "");
      for (const std::string& request : player->acknowledged()) {
        EXPECT_EQ(Count(cluster_.dsn(),
                        "SELECT count(*) FROM rules.table_actions "
                        "WHERE request_id = '" +
                            request + "'"),
                  1);
      }
    }
    EXPECT_EQ(Count(cluster_.dsn(),
                    "SELECT count(*) FROM (SELECT table_id FROM rules.table_actions "
                    "GROUP BY table_id HAVING max(revision) <> count(*)) gaps"),
              0);
    // A finished ranked match is rated once: one row of the ledger for each of its players.
    const std::string finished =
        "(SELECT table_id FROM rules.tables WHERE finish_time IS NOT NULL AND ranked "
        "AND deals_scored > 0)";
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
      return Count(cluster_.dsn(), "SELECT count(*) FROM " + finished + " f") * 4 ==
             Count(cluster_.dsn(), "SELECT count(*) FROM ratings.ledger");
    }));
    EXPECT_EQ(Count(cluster_.dsn(),
                    "SELECT count(*) FROM (SELECT table_id FROM ratings.matches "
                    "GROUP BY 1 HAVING count(*) > 1) doubled"),
              0);
  }

  Cluster cluster_{{.population = 0}};
  std::vector<std::unique_ptr<Player>> players_;
};

TEST_F(KillTest, EveryAcknowledgedActionSurvivesEveryProcess) {
  StartMatch();
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking", "rules"}) {
    SCOPED_TRACE(service);
    const std::size_t before = Acknowledged();
    EXPECT_FALSE(AllFinished()) << "this kill would prove nothing";
    cluster_.Kill(service, SIGKILL);
    cluster_.Start(service);
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
      return AllFinished() || Acknowledged() >= before + 8;
    })) << "play does not go on";
  }
  ASSERT_TRUE(Eventually(absl::Seconds(150), [&] { return AllFinished(); }));
  for (auto& player : players_) player->Join();
  CheckPromises();
}

// SIGTERM in the middle of a match: out within the grace period, with nothing broken.
TEST_F(KillTest, EveryProcessStopsByItselfWhenAsked) {
  StartMatch();
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking"}) {
    SCOPED_TRACE(service);
    const Stopwatch watch;
    EXPECT_EQ(cluster_.Kill(service, SIGTERM), 0) << cluster_.LogOf(service);
    EXPECT_LT(watch.Elapsed(), absl::Seconds(10));
    cluster_.Start(service);
  }
  ASSERT_TRUE(Eventually(absl::Seconds(150), [&] { return AllFinished(); }));
  for (auto& player : players_) player->Join();
  CheckPromises();
}

TEST_F(KillTest, PostgresTooAndThePoolsHeal) {
  StartMatch();
  const std::size_t before = Acknowledged();
  EXPECT_FALSE(AllFinished());
  cluster_.postgres().Kill();
  cluster_.postgres().Start();
  EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
    return AllFinished() || Acknowledged() >= before + 8;
  })) << "play does not go on";
  ASSERT_TRUE(Eventually(absl::Seconds(150), [&] { return AllFinished(); }));
  for (auto& player : players_) player->Join();
  CheckPromises();
}

}  // namespace
}  // namespace tarot::e2e
