#include "services/gateway/app/limiters.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

TEST(RateLimiterTest, AllowsABurstThenTheRate) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 2, .burst = 3}, 100, time);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(limiter.Take("a"), IsOk());
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  EXPECT_THAT(limiter.Take("b"), IsOk()) << "Each key has its own bucket.";
  time.Advance(absl::Milliseconds(500));
  EXPECT_THAT(limiter.Take("a"), IsOk());
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  time.Advance(absl::Hours(1));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(limiter.Take("a"), IsOk());
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"))
      << "A pause saves no more than a burst.";
}

TEST(RateLimiterTest, ACallMayCostAsMuchAsManyCalls) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 10, .burst = 2}, 100, time);
  EXPECT_THAT(limiter.Take("a", 10), IsOk()) << "A call of cost 10 needs room for one call only.";
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  time.Advance(absl::Milliseconds(800));
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  time.Advance(absl::Milliseconds(100));
  EXPECT_THAT(limiter.Take("a"), IsOk());
}

TEST(RateLimiterTest, AcceptsTheCallAfterTheStatedWait) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 0.1, .burst = 1}, 100, time);
  ASSERT_THAT(limiter.Take("a"), IsOk());
  time.Advance(absl::Milliseconds(2500));
  const absl::Status refused = limiter.Take("a");
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("retry_after_seconds"), "8");
  time.Advance(absl::Seconds(8));
  EXPECT_THAT(limiter.Take("a"), IsOk());
}

TEST(RateLimiterTest, ForgetsIdleKeys) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 1, .burst = 5}, 1000, time);
  for (int i = 0; i < 500; ++i) ASSERT_THAT(limiter.Take(absl::StrCat(i)), IsOk());
  EXPECT_EQ(limiter.key_count(), 500u);
  time.Advance(absl::Seconds(5));
  EXPECT_THAT(limiter.Take("new"), IsOk());
  EXPECT_EQ(limiter.key_count(), 1u);
}

TEST(RateLimiterTest, RefusesNewKeysWhenFullAndServesKnownOnes) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 1, .burst = 5}, 2, time);
  ASSERT_THAT(limiter.Take("a"), IsOk());
  ASSERT_THAT(limiter.Take("b"), IsOk());
  EXPECT_THAT(limiter.Take("c"), HasReason("RATE_LIMITED"));
  EXPECT_THAT(limiter.Take("a"), IsOk());
  EXPECT_EQ(limiter.key_count(), 2u);
  time.Advance(absl::Seconds(5));
  EXPECT_THAT(limiter.Take("c"), IsOk());
}

TEST(RateLimiterTest, ABucketKeepsItsMissingCallsWhenTheLimitChanges) {
  testkit::ManualTime time;
  RateLimiter limiter({.per_second = 1, .burst = 10}, 100, time);
  for (int i = 0; i < 6; ++i) ASSERT_THAT(limiter.Take("a"), IsOk());
  limiter.SetLimit({.per_second = 100, .burst = 8});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(limiter.Take("a"), IsOk()) << "Six of eight are gone.";
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  time.Advance(absl::Milliseconds(10));
  EXPECT_THAT(limiter.Take("a"), IsOk()) << "The bucket gains calls at the new rate.";
  limiter.SetLimit({.per_second = 1, .burst = 2});
  EXPECT_THAT(limiter.Take("a"), HasReason("RATE_LIMITED"));
  time.Advance(absl::Seconds(1));
  EXPECT_THAT(limiter.Take("a"), IsOk()) << "At most two calls are missing.";
  for (int i = 0; i < 2; ++i) EXPECT_THAT(limiter.Take("b"), IsOk());
  EXPECT_THAT(limiter.Take("b"), HasReason("RATE_LIMITED"));
}

TEST(AcquireSlotTest, SaysWhoseLimitIsReached) {
  SeededEntropy entropy(1);
  const SlotHolder anna{PlayerId{entropy.NewUuid()}, "1"};
  const SlotHolder bela{PlayerId{entropy.NewUuid()}, "2"};
  Slots slots({.per_player = 1, .per_address = 1, .per_network = 1, .all = 1});
  EXPECT_THAT(AcquireSlot(slots, anna), IsOk());
  EXPECT_THAT(AcquireSlot(slots, anna), HasReason("RATE_LIMITED"));
  EXPECT_THAT(AcquireSlot(slots, bela), HasReason("OVERLOADED"));
}

}  // namespace
}  // namespace tarot::gateway_service
