// Kills each process in the middle of matches and starts it again. Every acknowledged action must
// be stored, all matches must finish, and each must be rated once.
#include <gtest/gtest.h>
#include <signal.h>

#include "libs/base/clock.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

class KillTest : public testing::Test {
 protected:
  void ExpectPlayGoesOn(std::size_t before) {
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
      return matches_.AllFinished() || matches_.Acknowledged() >= before + 8;
    })) << "play does not go on";
  }

  Cluster cluster_{{.population = 0}};
  Matches matches_{cluster_};
};

TEST_F(KillTest, AcknowledgedActionsSurviveTheDeathOfAnyProcess) {
  ASSERT_TRUE(matches_.Start(1));
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking", "rules"}) {
    SCOPED_TRACE(service);
    const std::size_t before = matches_.Acknowledged();
    ASSERT_TRUE(matches_.KeepPlaying(1));
    cluster_.Kill(service, SIGKILL);
    cluster_.Start(service);
    ExpectPlayGoesOn(before);
  }
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

// After SIGTERM in the middle of a match, each process must end within the grace period and lose
// nothing.
TEST_F(KillTest, EveryProcessStopsAfterSigterm) {
  ASSERT_TRUE(matches_.Start(1));
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking"}) {
    SCOPED_TRACE(service);
    ASSERT_TRUE(matches_.KeepPlaying(1));
    const Stopwatch watch;
    EXPECT_EQ(cluster_.Kill(service, SIGTERM), 0) << cluster_.LogOf(service);
    EXPECT_LT(watch.Elapsed(), absl::Seconds(10));
    cluster_.Start(service);
  }
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

TEST_F(KillTest, PoolsReconnectAfterPostgresDied) {
  ASSERT_TRUE(matches_.Start(1));
  const std::size_t before = matches_.Acknowledged();
  EXPECT_FALSE(matches_.AllFinished());
  cluster_.postgres().Kill();
  cluster_.postgres().Start();
  ExpectPlayGoesOn(before);
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

}  // namespace
}  // namespace tarot::e2e
