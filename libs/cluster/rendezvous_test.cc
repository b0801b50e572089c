#include "libs/cluster/rendezvous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace tarot::cluster {
namespace {

const std::vector<std::string> kNodes = {"10.0.0.1:7101", "10.0.0.2:7101", "10.0.0.3:7101"};

TEST(RendezvousTest, ReturnsNoHostWithoutNodes) { EXPECT_EQ(HostOf("ranked4", {}), ""); }

// These values must never change, because replicas of different builds run at the same time and
// must choose the same host.
TEST(RendezvousTest, NeverChangesItsChoice) {
  EXPECT_EQ(internal::StableHash(""), 0xf52a15e9a9b5e89bU);
  EXPECT_EQ(internal::StableHash("ranked4"), 0x836f9f0b348b117dU);
  EXPECT_EQ(HostOf("ranked4", kNodes), "10.0.0.1:7101");
  EXPECT_EQ(HostOf("casual5", kNodes), "10.0.0.3:7101");
  EXPECT_EQ(HostOf(*Uuid::Parse("00000000-0000-4000-8000-000000000001"), kNodes), "10.0.0.2:7101");
  EXPECT_EQ(HostOf(*Uuid::Parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), kNodes), "10.0.0.2:7101");
}

TEST(RendezvousTest, IgnoresTheOrderOfTheList) {
  std::vector<std::string> nodes = kNodes;
  for (int i = 0; i < 100; ++i) {
    const std::string key = absl::StrCat("key", i);
    const std::string host = HostOf(key, kNodes);
    std::next_permutation(nodes.begin(), nodes.end());
    EXPECT_EQ(HostOf(key, nodes), host);
  }
}

TEST(RendezvousTest, SpreadsKeysEvenly) {
  constexpr int kKeys = 30'000;
  std::map<std::string, int> counts;
  for (int i = 0; i < kKeys; ++i) ++counts[HostOf(absl::StrCat("key", i), kNodes)];
  for (const std::string& node : kNodes) EXPECT_NEAR(counts[node], kKeys / 3, kKeys / 100) << node;
}

TEST(RendezvousTest, MovesOnlyTheKeysOfTheNodeThatLeaves) {
  const std::vector<std::string> fewer = {kNodes[0], kNodes[2]};
  std::map<std::string, int> moved;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = absl::StrCat("key", i);
    const std::string before = HostOf(key, kNodes);
    const std::string after = HostOf(key, fewer);
    if (before == kNodes[1]) {
      ++moved[after];
    } else {
      EXPECT_EQ(after, before);
    }
  }
  EXPECT_NEAR(moved[kNodes[0]], 500, 75) << "each remaining node gets half of the keys";
  EXPECT_NEAR(moved[kNodes[2]], 500, 75);
}

}  // namespace
}  // namespace tarot::cluster
