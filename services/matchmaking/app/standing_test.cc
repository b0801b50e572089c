#include "services/matchmaking/app/standing.h"

#include "gtest/gtest.h"

namespace tarot::matchmaking_service {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// Adds a leave at `now` to the standing, and returns the penalty.
absl::Duration Leave(Standing& standing, absl::Time now, EndOfMatch end = EndOfMatch::kLeftOthers) {
  standing = AfterMatch(standing, end, now);
  return standing.penalty_end - now;
}

TEST(StandingTest, PenaltyTriplesWithinAWeekUpTo48Hours) {
  Standing standing;
  EXPECT_EQ(Leave(standing, kNow), absl::Minutes(10));
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(24)), absl::Minutes(30));
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(48)), absl::Minutes(90));
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(72)), absl::Minutes(270));
  for (int day = 4; day < 20; ++day) Leave(standing, kNow + day * absl::Hours(24));
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(24 * 20)), absl::Hours(48));
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(24 * 28)), absl::Minutes(10)) << "after a week";
}

TEST(StandingTest, TenFinishedMatchesForgiveAStep) {
  Standing standing;
  Leave(standing, kNow);
  Leave(standing, kNow);
  for (int match = 0; match < 10; ++match) {
    standing = AfterMatch(standing, EndOfMatch::kFinished, kNow);
  }
  EXPECT_EQ(standing.finished_count, 10);
  EXPECT_EQ(standing.leave_steps, 1);
  EXPECT_EQ(standing.penalty_end, kNow + absl::Minutes(30)) << "A running penalty does not end.";
  EXPECT_EQ(Leave(standing, kNow + absl::Hours(1)), absl::Minutes(30));
  for (int match = 0; match < 40; ++match) {
    standing = AfterMatch(standing, EndOfMatch::kFinished, kNow);
  }
  EXPECT_EQ(standing.leave_steps, 0);
}

TEST(StandingTest, ALeaveWithAllOthersCountsHalf) {
  Standing standing;
  const absl::Duration first = Leave(standing, kNow, EndOfMatch::kLeftWithAll);
  EXPECT_GT(first, absl::Minutes(5));
  EXPECT_LT(first, absl::Minutes(6));
  EXPECT_EQ(Leave(standing, kNow, EndOfMatch::kLeftWithAll), absl::Minutes(10));
}

TEST(StandingTest, ALeftCasualMatchGivesNoPenaltyAndDoesNotCount) {
  EXPECT_EQ(AfterMatch({}, EndOfMatch::kLeftCasual, kNow), Standing());
}

TEST(StandingTest, AShorterPenaltyDoesNotReplaceALongerOne) {
  Standing standing;
  for (int leave = 0; leave < 4; ++leave) Leave(standing, kNow);
  const absl::Time end = standing.penalty_end;
  standing.leave_steps = 0;
  Leave(standing, kNow);
  EXPECT_EQ(standing.penalty_end, end);
}

}  // namespace
}  // namespace tarot::matchmaking_service
