// Tests the start of processes in any order. A process waits for the processes that it needs, and
// its log says that it is not ready.
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "absl/strings/match.h"
#include "libs/base/clock.h"
#include "libs/rpc/server.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

// A service is normally ready within two seconds. The limit is longer, because the machine may run
// other tests at the same time.
constexpr absl::Duration kReadyWithin = absl::Seconds(6);

bool IsLiveOnly(Cluster& cluster, const std::string& process) {
  return Eventually(absl::Seconds(20), [&] { return cluster.Is(rpc::kLiveness, process); }) &&
         !cluster.Is(rpc::kReadiness, process);
}

// Waits until the process is ready, and prints how long that took since `watch` began.
void ExpectReadySoon(Cluster& cluster, const std::string& process, const Stopwatch& watch) {
  EXPECT_TRUE(Eventually(kReadyWithin, [&] { return cluster.Is(rpc::kReadiness, process); }))
      << process << "\n"
      << cluster.LogOf(process);
  std::printf("%s was ready after %.2f s\n", process.c_str(),
              absl::ToDoubleSeconds(watch.Elapsed()));
}

TEST(LifeTest, ServicesWaitForPostgresAndForEachOther) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}, .door = true, .one_door = true});
  for (const char* process : {"admin", "gateway", "rules", "matchmaking", "ratings", "bot"}) {
    cluster.Kill(process, SIGKILL);
  }
  cluster.postgres().Stop();
  cluster.Launch("gateway");
  for (const char* process : {"rules", "matchmaking", "ratings", "admin"}) {
    cluster.Launch(process);
    EXPECT_TRUE(IsLiveOnly(cluster, process)) << process;
    EXPECT_TRUE(absl::StrContains(cluster.LogOf(process), "\"not ready\"")) << process;
  }
  EXPECT_TRUE(IsLiveOnly(cluster, "gateway"));
  cluster.Launch("bot");
  cluster.postgres().Start();
  const Stopwatch watch;
  for (const char* process : {"rules", "matchmaking", "ratings", "admin", "gateway", "bot"}) {
    ExpectReadySoon(cluster, process, watch);
  }
  cluster.SignIn("Ada");  // Fails the test if HAProxy does not use the gateway again.
}

TEST(LifeTest, ReadinessFollowsTheDatabase) {
  Cluster cluster({.population = 0, .replicas = {{"admin", 1}}});
  cluster.postgres().Freeze();
  for (const char* process : {"rules", "matchmaking", "ratings", "admin"}) {
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
      return !cluster.Is(rpc::kReadiness, process);
    })) << process;
    EXPECT_TRUE(cluster.Is(rpc::kLiveness, process)) << process;
  }
  EXPECT_TRUE(cluster.Is(rpc::kReadiness, "gateway")) << "sign-ins need no database";
  cluster.postgres().Thaw();
  for (const char* process : {"rules", "matchmaking", "ratings", "admin"}) {
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] { return cluster.Is(rpc::kReadiness, process); }))
        << process;
  }
}

}  // namespace
}  // namespace tarot::e2e
