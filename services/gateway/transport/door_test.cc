#include "services/gateway/transport/door.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "libs/rpc/server.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

TEST(AddressKeyTest, IgnoresThePort) {
  EXPECT_EQ(AddressKey("ipv4:192.0.2.7:4711", ""), AddressKey("ipv4:192.0.2.7:80", ""));
  EXPECT_NE(AddressKey("ipv4:192.0.2.7:4711", ""), AddressKey("ipv4:192.0.2.8:4711", ""));
}

TEST(AddressKeyTest, TreatsAnIpv6NetworkAsOneAddress) {
  EXPECT_EQ(AddressKey("ipv6:[2001:db8:1:2::1]:4711", ""),
            AddressKey("ipv6:%5B2001:db8:1:2:a::9%5D:80", ""));
  EXPECT_NE(AddressKey("ipv6:[2001:db8:1:2::1]:4711", ""),
            AddressKey("ipv6:[2001:db8:1:3::1]:4711", ""));
}

TEST(AddressKeyTest, DistinguishesIpv4ClientsOfADualStackSocket) {
  EXPECT_EQ(AddressKey("ipv6:[::ffff:192.0.2.7]:4711", ""),
            AddressKey("ipv6:[::ffff:192.0.2.7]:80", ""));
  EXPECT_NE(AddressKey("ipv6:[::ffff:192.0.2.7]:80", ""),
            AddressKey("ipv6:[::ffff:192.0.2.8]:80", ""));
}

TEST(AddressKeyTest, TakesTheAddressThatTheDoorNames) {
  EXPECT_EQ(AddressKey("unix:", "192.0.2.7"), AddressKey("ipv4:192.0.2.7:80", ""));
  EXPECT_NE(AddressKey("unix:", "192.0.2.7"), AddressKey("unix:", "192.0.2.8"));
  EXPECT_EQ(AddressKey("unix:", "2001:db8:1:2::1"), AddressKey("unix:", "2001:db8:1:2:a::9"));
  EXPECT_NE(AddressKey("unix:", "2001:db8:1:2::1"), AddressKey("unix:", "2001:db8:1:3::1"));
}

TEST(AddressKeyTest, TakesTheAddressThatTheHttpDoorNames) {
  EXPECT_EQ(AddressKey(rpc::kInProcessPeer, "192.0.2.7"), AddressKey("unix:", "192.0.2.7"));
}

TEST(AddressKeyTest, IgnoresAnAddressThatAnyOtherClientNames) {
  EXPECT_EQ(AddressKey("ipv4:192.0.2.7:80", "192.0.2.8"), AddressKey("ipv4:192.0.2.7:80", ""));
}

std::string NetworkOfPeer(const std::string& peer, const std::string& named_by_door = "") {
  return NetworkOf(AddressKey(peer, named_by_door));
}

// The players on a developer's machine all have one address. They must still be able to play with
// each other.
TEST(NetworkOfTest, IsEmptyForClientsOnThisMachine) {
  for (const char* const peer : {"ipv4:127.0.0.1:4711", "ipv4:127.8.0.1:4711", "ipv6:[::1]:4711",
                                 "ipv6:%5B::1%5D:80", "ipv6:[::ffff:127.0.0.1]:4711"}) {
    EXPECT_EQ(NetworkOfPeer(peer), "") << peer;
  }
  for (const char* const named : {"127.0.0.1", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(NetworkOfPeer("unix:", named), "") << named;
  }
}

TEST(NetworkOfTest, IsOneForTheClientsOfAnAddress) {
  const std::string network = NetworkOfPeer("ipv4:192.0.2.7:4711");
  EXPECT_NE(network, "");
  EXPECT_EQ(network, NetworkOfPeer("ipv4:192.0.2.7:80"));
  EXPECT_EQ(network, NetworkOfPeer("unix:", "192.0.2.7"));
  EXPECT_NE(network, NetworkOfPeer("ipv4:192.0.2.8:80"));
  EXPECT_EQ(NetworkOfPeer("ipv6:[2001:db8:1:2::1]:4711"),
            NetworkOfPeer("unix:", "2001:db8:1:2:a::9"));
  EXPECT_NE(NetworkOfPeer("ipv6:[2001:db8:1:2::1]:4711"),
            NetworkOfPeer("ipv6:[2001:db8:1:3::1]:4711"));
  EXPECT_NE(NetworkOfPeer("ipv6:[2001:db8:1:2::1]:4711"), "");
}

TEST(NetworkOfTest, HasOnlyPrintableCharacters) {
  for (const std::string& network :
       {NetworkOfPeer("ipv4:192.0.2.7:80"), NetworkOfPeer("ipv6:[2001:db8:1:2::1]:80")}) {
    EXPECT_TRUE(std::all_of(network.begin(), network.end(), absl::ascii_isprint)) << network;
  }
}

TEST(CheckListenAddressTest, AcceptsLoopbackOnlyWithTheFlag) {
  for (const char* address : {"127.0.0.1:7100", "[::1]:7100", "localhost:0"}) {
    EXPECT_THAT(CheckListenAddress(address, true), IsOk()) << address;
    EXPECT_THAT(CheckListenAddress(address, false), HasReason("UNSAFE_ADDRESS")) << address;
  }
}

TEST(CheckListenAddressTest, AcceptsNoPublicAddress) {
  for (const char* address : {"0.0.0.0:7100", "[::]:7100", "192.0.2.7:7100", "example.org:7100"}) {
    EXPECT_THAT(CheckListenAddress(address, true), HasReason("UNSAFE_ADDRESS")) << address;
  }
}

TEST(MakeSocketFolderTest, MakesAClosedFolderAndNoParent) {
  std::string parent = testing::TempDir() + "door_XXXXXX";
  ASSERT_NE(::mkdtemp(parent.data()), nullptr);
  const std::string address = "unix:" + parent + "/door/gateway.sock";
  MakeSocketFolder(address);
  EXPECT_THAT(CheckListenAddress(address, false), IsOk());
  ::chmod((parent + "/door").c_str(), 0755);
  MakeSocketFolder(address);  // A folder that exists keeps its mode.
  EXPECT_THAT(CheckListenAddress(address, false), HasReason("UNSAFE_ADDRESS"));
  const std::string deeper = "unix:" + parent + "/no/door/gateway.sock";
  MakeSocketFolder(deeper);
  EXPECT_THAT(CheckListenAddress(deeper, false), HasReason("UNSAFE_ADDRESS"));
  ::rmdir((parent + "/door").c_str());
  ::rmdir(parent.c_str());
}

TEST(CheckListenAddressTest, AcceptsASocketOnlyInAClosedFolder) {
  std::string folder = testing::TempDir() + "door_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_THAT(CheckListenAddress("unix:" + folder + "/gateway.sock", false), IsOk());
  ::chmod(folder.c_str(), 0755);
  EXPECT_THAT(CheckListenAddress("unix:" + folder + "/gateway.sock", true),
              HasReason("UNSAFE_ADDRESS"));
  ::rmdir(folder.c_str());
  EXPECT_THAT(CheckListenAddress("unix:" + folder + "/gateway.sock", false),
              HasReason("UNSAFE_ADDRESS"));
}

}  // namespace
}  // namespace tarot::gateway_service
