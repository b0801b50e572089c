// Hundreds of seeds of the whole platform, and proof that the simulation is deterministic and finds
// what is broken. More seeds: tools/dev sim.
#include <gtest/gtest.h>

#include <ostream>

#include "absl/strings/str_cat.h"
#include "tests/sim/simulation.h"

namespace tarot::sim {
namespace {

constexpr int kSeedsEach = 25;

std::string Story(std::uint64_t seed, const Report& report) {
  return absl::StrCat(report.notes, "\nseed ", seed, ": ", report.failure,
                      "\nAgain with: tools/dev sim --first ", seed, " --seeds 1");
}

// Blocks of seeds, so that ctest runs them side by side.
class Seeds : public ::testing::TestWithParam<int> {};

TEST_P(Seeds, EveryInvariantHolds) {
  for (int i = 1; i <= kSeedsEach; ++i) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * kSeedsEach + i);
    const Report report = Simulate(OptionsOf(seed));
    ASSERT_EQ(report.failure, "") << Story(seed, report);
    EXPECT_GT(report.matches, 0);
    EXPECT_GT(report.acknowledged, 0);
    EXPECT_GT(report.views, report.acknowledged);
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Seeds, ::testing::Range(0, 12));

// Also where something is broken: a story that cannot be told again is of no use. Each run has its
// tables of hashes elsewhere in memory, and so in another order.
TEST(Determinism, TheSameSeedTellsTheSameStory) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const Sabotage sabotage : {Sabotage::kNone, Sabotage::kNoTakeover}) {
      Options options = OptionsOf(seed);
      options.sabotage = sabotage;
      EXPECT_EQ(Simulate(options).hash, Simulate(options).hash) << seed;
    }
  }
  EXPECT_NE(Simulate(OptionsOf(1)).hash, Simulate(OptionsOf(2)).hash);
}

struct Planted {
  Sabotage sabotage;
  const char* name;
  const char* found;  // Part of what the simulation says; empty where it may be several things.
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class Sabotages : public ::testing::TestWithParam<Planted> {};

TEST_P(Sabotages, IsFound) {
  // Few need more than 20; a result told twice is rare since one replica tells it.
  constexpr std::uint64_t kSeedsMax = 200;
  for (std::uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
    Options options = OptionsOf(seed);
    options.sabotage = GetParam().sabotage;
    const Report report = Simulate(options);
    if (report.failure.empty()) continue;
    EXPECT_NE(report.failure.find(GetParam().found), std::string::npos) << Story(seed, report);
    return;
  }
  FAIL() << "not found in " << kSeedsMax << " seeds";
}

INSTANTIATE_TEST_SUITE_P(
    Planted, Sabotages,
    ::testing::Values(Planted{Sabotage::kAnswerBeforeCommit, "AnswerBeforeCommit", ""},
                      Planted{Sabotage::kForgetRequests, "ForgetRequests", "refused, but stored"},
                      Planted{Sabotage::kLoseEnd, "LoseEnd", ""},
                      Planted{Sabotage::kChargeOutage, "ChargeOutage", "clock"},
                      Planted{Sabotage::kShowOther, "ShowOther",
                              "a view that is not that of the log"},
                      Planted{Sabotage::kHideEnd, "HideEnd", "not shown what was stored"},
                      Planted{Sabotage::kNoTakeover, "NoTakeover", "in peace"},
                      Planted{Sabotage::kRateTwice, "RateTwice", "rated twice"},
                      Planted{Sabotage::kReleaseEarly, "ReleaseEarly", "two ranked tables"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tarot::sim
