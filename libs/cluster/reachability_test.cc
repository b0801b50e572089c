#include "libs/cluster/reachability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tarot::cluster {
namespace {

using testing::ElementsAre;

class ReachabilityTest : public testing::Test {
 protected:
  bool Reached(bool heard) { return reachability.Reached(heard, nodes, "b:1"); }

  // Calls Reached(false) until it returns false, but at most 10 times. Returns the number of calls
  // that returned true.
  int SilentCalls() {
    int calls = 0;
    while (calls < 10 && Reached(false)) ++calls;
    return calls;
  }

  NodeList nodes = {"a:1", "b:1", "c:1"};
  std::set<std::string> answering;
  std::vector<std::string> pinged;
  Reachability reachability{[this](const std::string& address, std::function<void()> answered) {
    pinged.push_back(address);
    if (answering.count(address) > 0) answered();
  }};
};

TEST_F(ReachabilityTest, PingsAllOtherReplicas) {
  Reached(true);
  EXPECT_THAT(pinged, ElementsAre("a:1", "c:1"));
}

TEST_F(ReachabilityTest, IsCutOffAfterFourSilentHeartbeats) {
  Reached(true);
  EXPECT_EQ(SilentCalls(), 3);
  EXPECT_FALSE(Reached(false));
}

TEST_F(ReachabilityTest, AMessageOfAGatewayIsEnough) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Reached(true));
}

TEST_F(ReachabilityTest, TheAnswerOfOneReplicaIsEnough) {
  answering = {"c:1"};
  EXPECT_EQ(SilentCalls(), 10);
}

// A replica that has left the list still pings the other replicas. When another replica answers,
// the replica returns to the list.
TEST_F(ReachabilityTest, AnAnswerBringsItBack) {
  SilentCalls();
  nodes = {"a:1", "c:1"};
  EXPECT_FALSE(Reached(false));
  answering = {"a:1"};
  EXPECT_FALSE(Reached(false));
  EXPECT_TRUE(Reached(false));
}

TEST_F(ReachabilityTest, IsNeverCutOffWithoutOtherReplicas) {
  nodes = {"b:1"};
  EXPECT_EQ(SilentCalls(), 10);
  nodes = {"a:1", "b:1"};
  EXPECT_EQ(SilentCalls(), 3) << "The count starts when there is another replica.";
}

TEST_F(ReachabilityTest, ComesBackWhenAllOthersHaveLeft) {
  SilentCalls();
  nodes = {};
  EXPECT_TRUE(Reached(false));
}

}  // namespace
}  // namespace tarot::cluster
