// Times to resume, from a history that is written by hand.
#include "tests/chaos/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarot::chaos {
namespace {

using load::Event;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(ResumeTest, OnlyTablesThatFeltTheFaultCount) {
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

TEST(ResumeTest, Percentiles) {
  EXPECT_EQ(Percentile({}, 0.5), 0);
  EXPECT_EQ(Percentile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Percentile({3, 1, 2}, 1), 3);
}

}  // namespace
}  // namespace tarot::chaos
