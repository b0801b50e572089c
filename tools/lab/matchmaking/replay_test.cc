#include "tools/lab/matchmaking/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "libs/testkit/status_matchers.h"

namespace tarot::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

matching::MatchWave Windows(absl::Span<const matching::MatchTicket> tickets, int seats,
                            absl::Time now) {
  return matching::MakeTables(tickets, seats, now);
}

TEST(ReplayTest, ReadsRecordedArrivals) {
  std::istringstream in(
      "seconds,player,rating,wait,table\n"
      "110.5,anna,1600,3.5,t1\n"
      "100,ben,1500,14,t1\n"
      "112,cleo,1400,,\n");
  const auto arrivals = ReadArrivals(in);
  ASSERT_THAT(arrivals, testkit::IsOk());
  ASSERT_EQ(arrivals->size(), 3u);
  EXPECT_EQ((*arrivals)[0].time, absl::ZeroDuration()) << "the earliest arrival is the start";
  EXPECT_EQ((*arrivals)[1].time, absl::Seconds(10.5));
  EXPECT_FALSE((*arrivals)[2].wait);
  const ReplayResult recorded = RecordedResult(*arrivals);
  EXPECT_THAT(recorded.waits, ElementsAre(14, 3.5));
  EXPECT_THAT(recorded.spreads, ElementsAre(100));
  EXPECT_EQ(recorded.unplaced, 1u);
}

TEST(ReplayTest, RefusesLinesThatAreNotArrivals) {
  for (const char* line : {"1,anna,1600,3", "x,anna,1600,3,t", "1,anna,strong,3,t", "1,,1500,3,t",
                           "-1,anna,1500,3,t", "1,anna,1500,-3,t", "1,anna,9999999,3,t"}) {
    std::istringstream in(std::string("0,first,1500,,\n") + line + "\n");
    EXPECT_THAT(std::string(ReadArrivals(in).status().message()), HasSubstr("line 2")) << line;
  }
}

TEST(ReplayTest, PlayersWithEqualRatingsPlayAtOnce) {
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    arrivals.push_back({.time = absl::Seconds(i), .player = i, .rating = 1500});
  }
  const ReplayResult result = Replay(arrivals, 4, Windows);
  EXPECT_THAT(result.waits, ElementsAre(3, 2, 1, 0)) << "the wave of second 4";
  EXPECT_THAT(result.spreads, ElementsAre(0));
  EXPECT_EQ(result.unplaced, 1u);
  EXPECT_THAT(Replay({}, 4, Windows).waits, IsEmpty());
}

// FirstComeTables ignores ratings, so a player with a rare rating does not wait for similar
// players. So waits are shorter, and spreads are larger.
TEST(ReplayTest, FirstComeFirstServedWaitsLessAndMixesMore) {
  const std::vector<Arrival> arrivals = RandomArrivals(1, 2'000, 7);
  ASSERT_EQ(arrivals.size(), 2'000u);
  EXPECT_NEAR(absl::ToDoubleSeconds(arrivals.back().time), 2'000, 200);
  const ReplayResult windows = Replay(arrivals, 4, Windows);
  const ReplayResult first_come = Replay(arrivals, 4, FirstComeTables);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value / static_cast<double>(values.size());
    return sum;
  };
  EXPECT_LT(mean(first_come.waits), mean(windows.waits));
  EXPECT_GT(mean(first_come.spreads), 3 * mean(windows.spreads));
  EXPECT_EQ(first_come.waits.size(), 2'000u);
}

// Four players arrive, each twice at the same time, and again ten minutes later. If a player
// arrives twice at the same time, the second arrival is ignored.
TEST(ReplayTest, PlayersRememberTheirTables) {
  std::vector<Arrival> arrivals;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t player = 1; player <= 4; ++player) {
      arrivals.push_back({.time = absl::Seconds(600 * round), .player = player});
      arrivals.push_back({.time = absl::Seconds(600 * round), .player = player});
    }
  }
  const ReplayResult result = Replay(arrivals, 4, Windows);
  ASSERT_EQ(result.spreads.size(), 2u);
  EXPECT_EQ(result.waits[0], 0);
  EXPECT_GT(result.waits[4], 10) << "players who have just met wait for others";
}

}  // namespace
}  // namespace tarot::lab
