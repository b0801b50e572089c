#include "libs/testkit/manual_time.h"

#include <gmock/gmock.h>

#include <vector>

namespace tarot::testkit {
namespace {

TEST(ManualTimeTest, RunsDueTasksInOrderAtTheirTimes) {
  ManualTime time;
  const absl::Time start = time.Now();
  std::vector<absl::Duration> ran;
  const auto note = [&] { ran.push_back(time.Now() - start); };
  time.After(absl::Seconds(3), note);
  time.After(absl::Seconds(1), [&] {
    note();
    time.After(absl::Seconds(1), note);
  });
  time.After(absl::Seconds(9), note);
  time.Advance(absl::Seconds(5));
  EXPECT_THAT(ran, testing::ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(3)));
  EXPECT_EQ(time.Now() - start, absl::Seconds(5));
}

}  // namespace
}  // namespace tarot::testkit
