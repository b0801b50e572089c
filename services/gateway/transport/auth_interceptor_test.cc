#include "services/gateway/transport/auth_interceptor.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// A customer with a whole /48 has 65,536 networks /64, so limits for each /64 alone would not be
// enough.
TEST(AddressLimiterTest, ANetworkHasAFewTimesTheLimitOfAnAddress) {
  testkit::ManualTime time;
  AddressLimiter limiter({.per_second = 1, .burst = 2}, time);
  const auto take = [&](int network, int address) {
    return limiter.Take(
        AddressKey("unix:", absl::StrCat("2001:db8:", network, ":", address, "::1")));
  };
  EXPECT_THAT(take(1, 0), IsOk());
  EXPECT_THAT(take(1, 0), IsOk());
  EXPECT_THAT(take(1, 0), HasReason("RATE_LIMITED")) << "the limit of the address";
  for (int i = 1; i < kNetworkFactor * 2 - 1; ++i) EXPECT_THAT(take(1, i), IsOk());
  EXPECT_THAT(take(1, 99), HasReason("RATE_LIMITED")) << "the limit of the network";
  EXPECT_THAT(take(2, 99), IsOk());
  time.Advance(absl::Seconds(1));
  EXPECT_THAT(take(1, 99), IsOk());
}

TEST(AddressLimiterTest, Ipv4AddressesShareNoLimit) {
  testkit::ManualTime time;
  AddressLimiter limiter({.per_second = 1, .burst = 1}, time);
  for (int i = 0; i < 3 * kNetworkFactor; ++i) {
    EXPECT_THAT(limiter.Take(AddressKey("unix:", absl::StrCat("192.0.2.", i))), IsOk());
  }
}

}  // namespace
}  // namespace tarot::gateway_service
