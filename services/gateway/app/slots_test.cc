#include "services/gateway/app/slots.h"

#include <gtest/gtest.h>

#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway {
namespace {

using testkit::HasReason;
using testkit::IsOk;

TEST(SlotsTest, APlayerHasAFewAndAllTogetherHaveSomeMore) {
  SeededEntropy entropy(1);
  const PlayerId anna{entropy.NewUuid()};
  const PlayerId bela{entropy.NewUuid()};
  const PlayerId carl{entropy.NewUuid()};
  Slots slots({.per_player = 2, .all = 3});
  EXPECT_THAT(slots.Take(anna), IsOk());
  EXPECT_THAT(slots.Take(anna), IsOk());
  EXPECT_THAT(slots.Take(anna), HasReason("RATE_LIMITED"));
  EXPECT_THAT(slots.Take(bela), IsOk());
  EXPECT_THAT(slots.Take(carl), HasReason("OVERLOADED"));
  slots.GiveBack(anna);
  EXPECT_THAT(slots.Take(carl), IsOk());
  slots.GiveBack(carl);
  EXPECT_THAT(slots.Take(anna), IsOk());
  EXPECT_THAT(slots.Take(anna), HasReason("RATE_LIMITED"));
}

}  // namespace
}  // namespace tarot::gateway
