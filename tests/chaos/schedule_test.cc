// Tests that a seed always gives the same schedule, within its bounds and with every kind of fault.
#include "tests/chaos/schedule.h"

#include <gtest/gtest.h>

#include <set>

namespace tarot::chaos {
namespace {

ScheduleOptions Options(std::uint64_t seed) {
  ScheduleOptions options{.seed = seed,
                          .duration = absl::Minutes(10),
                          .processes = {"rules", "rules.2", "gateway", "bot", "ratings"}};
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    options.kinds.push_back(static_cast<FaultKind>(kind));
  }
  return options;
}

bool StopsOrStartsAProcess(FaultKind kind) {
  return kind == FaultKind::kKill || kind == FaultKind::kTerm || kind == FaultKind::kPgKill ||
         kind == FaultKind::kPgRestart || kind == FaultKind::kPgImmediate;
}

TEST(ScheduleTest, RepeatsTheScheduleOfASeed) {
  const std::vector<Fault> once = MakeSchedule(Options(7)), again = MakeSchedule(Options(7));
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(Text(once[i]), Text(again[i]));
  EXPECT_NE(Text(once[0]), Text(MakeSchedule(Options(8))[0]));
}

// The expected text must never change: a seed that failed once must give the same faults in later
// versions.
TEST(ScheduleTest, KeepsTheMeaningOfASeed) {
  EXPECT_EQ(Text(MakeSchedule(Options(7))[0]), "at 2.0 s for 1.8 s: kill ratings");
}

TEST(ScheduleTest, HasEveryKindAndEndsInTime) {
  std::set<FaultKind> kinds;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    absl::Duration before;
    for (const Fault& fault : MakeSchedule(Options(seed))) {
      EXPECT_GE(fault.start, before);
      EXPECT_LE(fault.end(), absl::Minutes(10));
      EXPECT_GT(fault.length, absl::ZeroDuration());
      before = fault.start;
      kinds.insert(fault.kind);
      if (fault.kind == FaultKind::kNoPostgres) {
        EXPECT_TRUE(fault.target == "ratings" || fault.target.rfind("rules", 0) == 0);
      }
      if (fault.kind == FaultKind::kPartition) {
        EXPECT_NE(fault.target, fault.other);
      }
      if (fault.kind == FaultKind::kPlayers) {
        EXPECT_EQ(fault.target, "gateway");
      }
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kFaultKinds));
}

TEST(ScheduleTest, DoesNotOverlapAStartOfAProcess) {
  int overlaps = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Fault> faults = MakeSchedule(Options(seed));
    for (std::size_t i = 0; i < faults.size(); ++i) {
      for (std::size_t j = i + 1; j < faults.size(); ++j) {
        if (faults[j].start >= faults[i].end()) continue;
        ++overlaps;
        EXPECT_FALSE(StopsOrStartsAProcess(faults[i].kind)) << Text(faults[i]);
        EXPECT_FALSE(StopsOrStartsAProcess(faults[j].kind)) << Text(faults[j]);
      }
    }
  }
  EXPECT_GT(overlaps, 10);
}

}  // namespace
}  // namespace tarot::chaos
