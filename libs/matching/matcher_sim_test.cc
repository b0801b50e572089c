// Simulates queues with many players, and compares the waiting times and the spreads with the goals
// at the end of this file.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/matching/testing/evening.h"

namespace tarot::matching {
namespace {

double Percentile(std::vector<double> values, int percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * static_cast<std::size_t>(percent) / 100];
}

struct Goal {
  double arrivals_per_second;
  double wait_p50, wait_p95, wait_p99, spread_p50, spread_p95;
};

class MatcherSimTest : public testing::TestWithParam<Goal> {};

// Each limit is 15 % above its goal. The limits of the waiting times are two seconds higher again:
// a ticket that has just missed a wave waits two seconds for the next wave.
TEST_P(MatcherSimTest, ReachesTheFiguresOfTheLadder) {
  const Goal& goal = GetParam();
  const Evening evening = Simulate({.arrivals_per_second = goal.arrivals_per_second});
  const double wait_p50 = Percentile(evening.waits, 50), wait_p95 = Percentile(evening.waits, 95);
  const double wait_p99 = Percentile(evening.waits, 99);
  const double spread_p50 = Percentile(evening.spreads, 50);
  const double spread_p95 = Percentile(evening.spreads, 95);
  std::printf("%4.1f arrivals/s: wait p50 %.1f p95 %.1f p99 %.1f s, spread p50 %.0f p95 %.0f\n",
              goal.arrivals_per_second, wait_p50, wait_p95, wait_p99, spread_p50, spread_p95);
  EXPECT_LE(wait_p50, 1.15 * goal.wait_p50 + 2);
  EXPECT_LE(wait_p95, 1.15 * goal.wait_p95 + 2);
  EXPECT_LE(wait_p99, 1.15 * goal.wait_p99 + 2);
  EXPECT_LE(spread_p50, 1.15 * goal.spread_p50);
  EXPECT_LE(spread_p95, 1.15 * goal.spread_p95);
}

TEST(MatcherOneASecondSimTest, WaitsAtMost85SecondsWithSpreadsOfAtMost89) {
  const Evening evening = Simulate({.arrivals_per_second = 1, .players = 40'000, .seed = 2});
  EXPECT_LE(Percentile(evening.waits, 99), 85);
  EXPECT_LE(Percentile(evening.spreads, 50), 89);
}

// In a small queue, blocks raise the 95th percentiles of the waiting times and of the spreads only
// a little. Two players with a block between them rarely sit together, and only after both have
// waited for `block_wait`.
TEST(MatcherBlockSimTest, BlocksKeepPlayersApartAndCostLittleTime) {
  for (const absl::Duration wait : {absl::InfiniteDuration(), absl::Minutes(2)}) {
    const EveningOptions options{.arrivals_per_second = 0.2, .players = 4'000};
    EveningOptions with_blocks = options;
    with_blocks.blocks = true;
    with_blocks.block_wait = wait;
    const Evening evening = Simulate(with_blocks);
    const Evening without = Simulate(options);
    std::printf("%d of %d blocks met\n", evening.blocks_met, 400);
    EXPECT_LE(evening.blocks_met, wait == absl::InfiniteDuration() ? 0 : 12);
    EXPECT_FALSE(evening.met_too_early);
    EXPECT_LE(Percentile(evening.waits, 95), 1.15 * Percentile(without.waits, 95) + 2);
    EXPECT_LE(Percentile(evening.spreads, 95), 1.15 * Percentile(without.spreads, 95));
  }
}

INSTANTIATE_TEST_SUITE_P(Evenings, MatcherSimTest,
                         testing::Values(Goal{0.2, 28, 119, 254, 130, 334},
                                         Goal{1, 7.9, 38, 76, 83, 200},
                                         Goal{5, 2.2, 11, 22, 62, 147}),
                         [](const testing::TestParamInfo<Goal>& row) {
                           return absl::StrCat("Row", row.index + 1);
                         });

}  // namespace
}  // namespace tarot::matching
