// Tests Resume with histories written by hand.
#include "tests/chaos/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarot::chaos {
namespace {

using load::Event;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(ResumeTest, CountsOnlyTablesThatTheFaultDisturbed) {
  const TableId felt{Uuid({1})}, undisturbed{Uuid({2})}, later{Uuid({3})}, dropped{Uuid({4})};
  Resume resume;
  const auto see = [&](Event::Kind kind, int ms, TableId table, const std::string& text = "") {
    resume.See({.kind = kind, .time_us = ms * 1000, .table = table, .text = text});
  };
  see(Event::Kind::kOk, 800, undisturbed);
  see(Event::Kind::kOk, 900, felt);
  see(Event::Kind::kOk, 950, dropped);
  see(Event::Kind::kFault, 1000, {}, "kill/rules.2");
  see(Event::Kind::kOk, 1100, undisturbed);
  see(Event::Kind::kUnknown, 1150, dropped, "CANCELLED");
  see(Event::Kind::kUnknown, 1200, felt, "UNAVAILABLE/HOST_AWAY");
  see(Event::Kind::kOk, 1250, dropped);
  see(Event::Kind::kHealed, 3000, {}, "kill/rules.2");
  see(Event::Kind::kOk, 4000, felt);
  see(Event::Kind::kUnknown, 4100, undisturbed);
  see(Event::Kind::kUnknown, 4200, later);
  see(Event::Kind::kOk, 4300, later);
  const auto times = resume.Finish();
  ASSERT_EQ(times.size(), 2u);
  for (const char* kind : {"kill", kAllFaults}) {
    const ResumeTimes& kill = times.at(kind);
    EXPECT_EQ(kill.faults, 1);
    EXPECT_THAT(kill.after_begin_s, ElementsAre(DoubleNear(3, 1e-9)));
    EXPECT_THAT(kill.after_end_s, ElementsAre(DoubleNear(1, 1e-9)));
  }
}

// One of two watchers loses its stream because of the fault.
TEST(ResumeTest, WatchersResumeWhenTheLastOneSeesTheMove) {
  const TableId table{Uuid({1})};
  Resume resume;
  const auto see = [&](Event::Kind kind, int ms, int client, int revision, int stream = 1) {
    resume.See({.kind = kind,
                .time_us = ms * 1000,
                .client = client,
                .revision = revision,
                .stream = stream,
                .table = table,
                .text = "kill/gateway"});
  };
  see(Event::Kind::kSeat, 100, 1, 0);
  see(Event::Kind::kSeat, 100, 2, 0);
  see(Event::Kind::kOk, 900, 1, 5);
  see(Event::Kind::kView, 901, 1, 5);
  see(Event::Kind::kView, 950, 2, 5);
  see(Event::Kind::kFault, 1000, 0, 0);
  see(Event::Kind::kUnknown, 1200, 1, 0);
  see(Event::Kind::kOk, 3000, 1, 6);
  see(Event::Kind::kView, 2999, 1, 6);
  // The client sees the revision in an answer. Its stream is still broken.
  see(Event::Kind::kView, 3001, 2, 6, 0);
  see(Event::Kind::kOk, 3500, 2, 7);
  see(Event::Kind::kView, 3600, 1, 7);
  see(Event::Kind::kView, 4000, 2, 7, 2);
  see(Event::Kind::kOk, 5000, 1, 8);
  see(Event::Kind::kView, 5100, 2, 8, 2);
  see(Event::Kind::kEnd, 9000, 0, 0);
  const ResumeTimes times = resume.Finish().at(kAllFaults);
  EXPECT_THAT(times.after_begin_s, ElementsAre(DoubleNear(2, 1e-9)));
  EXPECT_THAT(times.watchers_s, ElementsAre(DoubleNear(3, 1e-9)));
  EXPECT_THAT(resume.WatchLag(), ElementsAre(DoubleNear(0.05, 1e-9), DoubleNear(1, 1e-9),
                                             DoubleNear(0.5, 1e-9), DoubleNear(4, 1e-9)))
      << "the first client never saw the last move";
}

TEST(ResumeTest, ComputesPercentiles) {
  EXPECT_EQ(Percentile({}, 0.5), 0);
  EXPECT_EQ(Percentile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Percentile({3, 1, 2}, 1), 3);
}

}  // namespace
}  // namespace tarot::chaos
