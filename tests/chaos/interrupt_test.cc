// Tests that a run cleans up if it is stopped or killed before its end.
#include "tests/chaos/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace tarot::chaos {
namespace {

class InterruptTest : public testing::TestWithParam<int> {};

TEST_P(InterruptTest, StopsTheRunAndCleansUpOnce) {
  int ended = 0;
  const int code = RunInterruptibly(
      [] {
        if (getsid(0) != getpid() || StopAsked()) return 1;
        kill(getppid(), GetParam());
        SleepUnless(absl::Seconds(20), StopAsked);
        return StopAsked() ? 7 : 1;
      },
      [&] { ++ended; });
  EXPECT_EQ(code, 7);
  EXPECT_EQ(ended, 1);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest, testing::Values(SIGINT, SIGTERM));

TEST(RunInterruptiblyTest, CleansUpAfterAKilledRun) {
  int ended = 0;
  const int code = RunInterruptibly([] { return kill(getpid(), SIGKILL); }, [&] { ++ended; });
  EXPECT_EQ(code, 2);
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace tarot::chaos
