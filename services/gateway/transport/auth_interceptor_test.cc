#include "services/gateway/transport/auth_interceptor.h"

#include <gtest/gtest.h>

namespace tarot::gateway_service {
namespace {

TEST(AddressOfTest, IgnoresThePort) {
  EXPECT_EQ(AddressOf("ipv4:192.0.2.7:4711"), AddressOf("ipv4:192.0.2.7:80"));
  EXPECT_NE(AddressOf("ipv4:192.0.2.7:4711"), AddressOf("ipv4:192.0.2.8:4711"));
}

TEST(AddressOfTest, TreatsAnIpv6NetworkAsOneAddress) {
  EXPECT_EQ(AddressOf("ipv6:[2001:db8:1:2::1]:4711"), AddressOf("ipv6:%5B2001:db8:1:2:a::9%5D:80"));
  EXPECT_NE(AddressOf("ipv6:[2001:db8:1:2::1]:4711"), AddressOf("ipv6:[2001:db8:1:3::1]:4711"));
}

TEST(AddressOfTest, DistinguishesIpv4ClientsOfADualStackSocket) {
  EXPECT_EQ(AddressOf("ipv6:[::ffff:192.0.2.7]:4711"), AddressOf("ipv6:[::ffff:192.0.2.7]:80"));
  EXPECT_NE(AddressOf("ipv6:[::ffff:192.0.2.7]:80"), AddressOf("ipv6:[::ffff:192.0.2.8]:80"));
}

}  // namespace
}  // namespace tarot::gateway_service
