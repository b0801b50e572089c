#include "libs/obs/log_limiter.h"

#include <gtest/gtest.h>

namespace tarot::obs {
namespace {

const absl::Time kNow = absl::UnixEpoch() + absl::Hours(1);

TEST(LogLimiterTest, LeavesLinesOutAndCountsThem) {
  LogLimiter limiter(2, absl::Seconds(10));
  EXPECT_EQ(limiter.Admit("a", kNow), 0);
  EXPECT_EQ(limiter.Admit("a", kNow + absl::Seconds(1)), 0);
  EXPECT_EQ(limiter.Admit("a", kNow + absl::Seconds(2)), std::nullopt);
  EXPECT_EQ(limiter.Admit("a", kNow + absl::Seconds(9)), std::nullopt);
  EXPECT_EQ(limiter.Admit("b", kNow + absl::Seconds(9)), 0) << "Another source is not limited.";
  EXPECT_EQ(limiter.Admit("a", kNow + absl::Seconds(10)), 2);
  EXPECT_EQ(limiter.Admit("a", kNow + absl::Seconds(10)), 0);
}

TEST(LogLimiterTest, BeginsANewWindowWhenTheClockIsSetBack) {
  LogLimiter limiter(1, absl::Seconds(10));
  EXPECT_EQ(limiter.Admit("a", kNow), 0);
  EXPECT_EQ(limiter.Admit("a", kNow), std::nullopt);
  EXPECT_EQ(limiter.Admit("a", kNow - absl::Hours(1)), 1);
}

}  // namespace
}  // namespace tarot::obs
