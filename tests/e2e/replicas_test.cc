// Runs several replicas of every service while people play. In these tests the active matcher dies,
// a replica pauses, or all processes are restarted one after another.
#include <gtest/gtest.h>
#include <signal.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/cluster/rendezvous.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

constexpr char kPlacedTwice[] =
    "SELECT count(*) FROM (SELECT player_id FROM matchmaking.table_seats s "
    "JOIN matchmaking.tables t USING (table_id) WHERE t.state <> 'refused' "
    "GROUP BY player_id HAVING count(*) > 1) twice";

// Returns the active matcher of `queue`.
std::string MatcherOf(const std::string& queue, Cluster& cluster) {
  std::map<std::string, std::string> by_address;
  std::vector<std::string> addresses;
  for (const std::string& process : cluster.Replicas("matchmaking")) {
    by_address[cluster.AddressOf(process)] = process;
    addresses.push_back(cluster.AddressOf(process));
  }
  return by_address.at(cluster::HostOf(queue, addresses));
}

TEST(ReplicasTest, AnotherMatcherServesTheQueueWhenOneDies) {
  Cluster cluster({.population = 0, .replicas = {{"matchmaking", 3}}});
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Count(cluster.dsn(), "SELECT count(*) FROM matchmaking.nodes") == 3;
  }));
  std::vector<std::unique_ptr<PlayerThread>> players;
  const auto join = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("P", players.size());
      players.push_back(std::make_unique<PlayerThread>(cluster.SignIn(name), name));
      players.back()->Play("queues/ranked4");
    }
  };
  const auto waiting = [&] {
    return Count(cluster.dsn(), "SELECT count(*) FROM matchmaking.tickets WHERE state = 'waiting'");
  };
  join(3);
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return waiting() == 3; }));
  cluster.Kill(MatcherOf("ranked4", cluster), SIGKILL);
  join(5);
  const auto seated = [&] {
    int count = 0;
    for (const auto& player : players) count += !player->table().empty();
    return count;
  };
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] { return seated() == 8; }))
      << seated() << " of 8 have a table";
  EXPECT_EQ(Count(cluster.dsn(), kPlacedTwice), 0);
  EXPECT_EQ(Count(cluster.dsn(), "SELECT count(*) FROM rules.tables"), 2);
  ASSERT_TRUE(Eventually(absl::Seconds(200), [&] {
    for (const auto& player : players) {
      if (!player->finished()) return false;
    }
    return true;
  }));
  for (const auto& player : players) {
    player->Join();
    EXPECT_EQ(player->error(), "");
  }
}

// A paused replica keeps its connections open. Calls to it wait for some seconds; then all calls go
// to the other replica.
TEST(ReplicasTest, CallsAvoidAPausedReplica) {
  // The gateway's rate limit counts one call of a List method as ten calls.
  Cluster cluster({.population = 0,
                   .gateway_flags = {"--calls_per_second=100000", "--call_burst=100000",
                                     "--address_calls_per_second=100000"},
                   .replicas = {{"ratings", 2}}});
  const auto player = cluster.SignIn("Ada");
  const auto fast_in_a_row = [&] {
    // Returns how many calls in a row are fast, at most 20. A gateway that did not avoid the paused
    // replica would send half of the calls to this replica. These calls would be slow.
    for (int fast = 0; fast < 20; ++fast) {
      const Stopwatch watch;
      const auto page =
          player->Call(&client::Ratings::ListRatings, ratings::v1::ListRatingsRequest());
      if (!page.ok() || watch.Elapsed() > absl::Milliseconds(500)) return fast;
    }
    return 20;
  };
  ASSERT_TRUE(Eventually(absl::Seconds(10), [&] { return fast_in_a_row() == 20; }));
  cluster.Signal("ratings.2", SIGSTOP);
  const Stopwatch outage;
  EXPECT_LT(fast_in_a_row(), 20) << "nothing was paused";
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] { return fast_in_a_row() == 20; }));
  std::printf("left out after %.1f s\n", absl::ToDoubleSeconds(outage.Elapsed()));
  cluster.Signal("ratings.2", SIGCONT);
  EXPECT_TRUE(Eventually(absl::Seconds(10), [&] { return fast_in_a_row() == 20; }));
}

// Restarts all processes one after another, as an upgrade does: SIGTERM, wait for the end, start,
// wait until the process serves. At last, kills Postgres and starts it again. Players notice only
// that their streams begin again.
TEST(ReplicasTest, PlayContinuesWhileEveryProcessRestarts) {
  Cluster cluster(
      {.population = 0,
       .replicas = {{"rules", 2}, {"matchmaking", 2}, {"bot", 2}, {"ratings", 2}, {"gateway", 2}}});
  Matches matches(cluster);
  ASSERT_TRUE(matches.Start(3));
  for (const char* service : {"bot", "ratings", "matchmaking", "rules", "gateway"}) {
    for (const std::string& process : cluster.Replicas(service)) {
      SCOPED_TRACE(process);
      ASSERT_TRUE(matches.KeepPlaying(3));
      const Stopwatch watch;
      EXPECT_EQ(cluster.Kill(process, SIGTERM), 0) << cluster.LogOf(process);
      EXPECT_LT(watch.Elapsed(), absl::Seconds(10));
      cluster.Start(process);
      const std::size_t before = matches.Acknowledged();
      EXPECT_TRUE(Eventually(absl::Seconds(10), [&] {
        return matches.AllFinished() || matches.Acknowledged() >= before + 12;
      })) << "play does not go on";
    }
  }
  ASSERT_TRUE(matches.KeepPlaying(3));
  cluster.postgres().Kill();
  cluster.postgres().Start();
  ASSERT_TRUE(matches.Finish(absl::Seconds(250)));
  matches.CheckPromises();
  EXPECT_EQ(Count(cluster.dsn(), kPlacedTwice), 0);
}

}  // namespace
}  // namespace tarot::e2e
