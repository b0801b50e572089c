// Simulates evenings. Players arrive at random, with ratings of mean 1500 and standard deviation
// 300, and a wave runs every two seconds. The test compares waiting times and spreads with the
// goals at the end of this file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/rng.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {
namespace {

constexpr absl::Duration kWaveEvery = absl::Seconds(2);
constexpr int kSeats = 4;

// Returns a rating that is nearly normally distributed, with mean 1500 and standard deviation 300.
// The sum of twelve uniform numbers from 0 to 1000 has mean 6000 and standard deviation 1000.
int NormalRating(Rng& rng) {
  int sum = 0;
  for (int i = 0; i < 12; ++i) sum += rng.Below(1001);
  return 1500 + (sum - 6000) * 300 / 1000;
}

struct Evening {
  std::vector<double> waits, spreads;
  int blocks_met = 0;  // Tables with a block between two players.
};

// One of ten players blocks the player who came before.
struct SomeBlocks {
  absl::Duration wait;  // The argument `block_wait` of MakeTables.
};

double Percentile(std::vector<double> values, int percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * static_cast<std::size_t>(percent) / 100];
}

// Simulates an evening in steps of 10 ms. At most one player arrives in a step, and no player comes
// twice.
Evening Simulate(double arrivals_per_second, int players, std::uint64_t seed,
                 std::optional<SomeBlocks> blocks = std::nullopt) {
  Rng rng(seed);
  Evening evening;
  std::vector<MatchTicket> waiting;
  std::deque<std::vector<std::uint32_t>> lists;  // The lists of blocks.
  std::uint32_t arrived = 0;
  // The chance of an arrival in one step, in millionths.
  const int chance = static_cast<int>(arrivals_per_second * 10'000);
  absl::Time now = absl::UnixEpoch();
  for (int step = 0; static_cast<int>(arrived) < players; ++step) {
    now += absl::Milliseconds(10);
    if (rng.Below(1'000'000) < chance) {
      ++arrived;
      waiting.push_back(
          {.id = arrived, .player = arrived, .rating = NormalRating(rng), .create_time = now});
      if (blocks && arrived % 10 == 0) {
        waiting.back().blocked = lists.emplace_back(std::vector{arrived - 1});
      }
    }
    if (step % (kWaveEvery / absl::Milliseconds(10)) != 0) continue;
    const absl::Duration block_wait = blocks ? blocks->wait : absl::InfiniteDuration();
    const MatchWave wave = MakeTables(waiting, kSeats, now, block_wait);
    for (const MatchedTable& table : wave.tables) {
      evening.spreads.push_back(table.spread);
      for (const std::size_t i : table.tickets) {
        for (const std::size_t other : table.tickets) {
          if (i >= other || !BlockBetween(waiting[i], waiting[other])) continue;
          ++evening.blocks_met;
          EXPECT_GE(now - waiting[i].create_time, block_wait);
          EXPECT_GE(now - waiting[other].create_time, block_wait);
        }
        evening.waits.push_back(absl::ToDoubleSeconds(now - waiting[i].create_time));
      }
    }
    std::vector<MatchTicket> left;
    for (const WaitingTicket& ticket : wave.waiting) left.push_back(waiting[ticket.ticket]);
    waiting = std::move(left);
  }
  return evening;
}

struct Goal {
  double arrivals_per_second;
  int players;
  double wait_p50, wait_p95, spread_p50, spread_p95;
};

class MatcherSimTest : public testing::TestWithParam<Goal> {};

// The goals come from short runs, so the limits are 15 % higher. The limits of waiting times are
// two seconds higher still, because a ticket that just missed a wave waits for the next one.
TEST_P(MatcherSimTest, ReachesTheFiguresOfTheLadder) {
  const Goal& goal = GetParam();
  const Evening evening = Simulate(goal.arrivals_per_second, goal.players, /*seed=*/1);
  const double wait_p50 = Percentile(evening.waits, 50), wait_p95 = Percentile(evening.waits, 95);
  const double spread_p50 = Percentile(evening.spreads, 50);
  const double spread_p95 = Percentile(evening.spreads, 95);
  std::printf("%4.1f arrivals/s: wait p50 %.1f p95 %.1f s, spread p50 %.0f p95 %.0f\n",
              goal.arrivals_per_second, wait_p50, wait_p95, spread_p50, spread_p95);
  EXPECT_LE(wait_p50, 1.15 * goal.wait_p50 + 2);
  EXPECT_LE(wait_p95, 1.15 * goal.wait_p95 + 2);
  EXPECT_LE(spread_p50, 1.15 * goal.spread_p50);
  EXPECT_LE(spread_p95, 1.15 * goal.spread_p95);
}

// Blocks cost no time while enough other players wait. In a small queue, blocked players meet
// rarely and late.
TEST(MatcherBlockSimTest, BlocksKeepPlayersApartAndCostLittleTime) {
  for (const absl::Duration wait : {absl::InfiniteDuration(), absl::Minutes(2)}) {
    const Evening evening = Simulate(0.2, 4'000, /*seed=*/1, SomeBlocks{.wait = wait});
    const Evening without = Simulate(0.2, 4'000, /*seed=*/1);
    std::printf("%d of %d blocks met\n", evening.blocks_met, 400);
    EXPECT_LE(evening.blocks_met, wait == absl::InfiniteDuration() ? 0 : 12);
    EXPECT_LE(Percentile(evening.waits, 95), 1.15 * Percentile(without.waits, 95) + 2);
    EXPECT_LE(Percentile(evening.spreads, 95), 1.15 * Percentile(without.spreads, 95));
  }
}

INSTANTIATE_TEST_SUITE_P(Evenings, MatcherSimTest,
                         testing::Values(Goal{0.2, 20'000, 28, 140, 125, 264},
                                         Goal{1, 20'000, 8, 44, 88, 143},
                                         Goal{5, 20'000, 2.3, 13, 65, 104}),
                         [](const testing::TestParamInfo<Goal>& row) {
                           return absl::StrCat("Row", row.index + 1);
                         });

}  // namespace
}  // namespace tarot::matching
