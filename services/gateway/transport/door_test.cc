#include "services/gateway/transport/door.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

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

TEST(AddressKeyTest, IgnoresAnAddressThatAnyOtherClientNames) {
  EXPECT_EQ(AddressKey("ipv4:192.0.2.7:80", "192.0.2.8"), AddressKey("ipv4:192.0.2.7:80", ""));
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
