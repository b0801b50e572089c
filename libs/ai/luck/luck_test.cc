#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "libs/ai/arena.h"
#include "libs/ai/luck/baseline.h"
#include "libs/ai/luck/bid_shift.h"
#include "libs/ai/luck/replay.h"
#include "libs/rules/deck.h"

namespace tarot::ai {
namespace {

rules::Deal DealNumber(int number, int players, const char* rule_set = "fft") {
  Rng rng(static_cast<std::uint64_t>(number));
  return RandomDeal(rules::FindRuleSet(rule_set)->rules, players, rng);
}

TEST(ReplayTest, ScoresSumToZeroUnderEveryRankedRuleSet) {
  for (const char* rule_set : {"fft", "club", "webguide", "preneur", "pagat", "shogix"}) {
    const rules::RuleSet rules = rules::FindRuleSet(rule_set)->rules;
    for (int players = rules.players_min; players <= rules.players_max; ++players) {
      int scored = 0;
      for (int number = 0; number < 60; ++number) {
        Replayer replayer(DealNumber(number, players, rule_set));
        std::array<ReplayBot, rules::kPlayersMax> bots;
        bots.fill({.bid_shift = 5});
        Rng rng(static_cast<std::uint64_t>(number));
        for (int i = 0; i < 4; ++i) {
          const auto scores = replayer.Play(bots, rng);
          EXPECT_EQ(std::accumulate(scores.begin(), scores.end(), 0), 0) << rule_set;
          scored += scores != std::array<int, rules::kPlayersMax>{} ? 1 : 0;
        }
      }
      EXPECT_GT(scored, 60) << rule_set << " with " << players;
    }
  }
}

TEST(ReplayTest, BotsThatBidLessPassMoreDeals) {
  const auto passed = [](double shift) {
    int count = 0;
    for (int number = 0; number < 100; ++number) {
      Replayer replayer(DealNumber(number, 4));
      std::array<ReplayBot, rules::kPlayersMax> bots;
      bots.fill({.bid_shift = shift});
      Rng rng(1);
      if (replayer.Play(bots, rng) == std::array<int, rules::kPlayersMax>{}) ++count;
    }
    return count;
  };
  EXPECT_EQ(passed(-200), 100);
  EXPECT_EQ(passed(200), 0);
  EXPECT_GT(passed(-6), passed(6));
}

// The test moves each hand and the role of the dealer to the next seat. Then the mean scores must
// move to the next seat too. Small differences are allowed, because the replays use other random
// numbers.
TEST(BaselineTest, FollowsTheCards) {
  double difference = 0;
  double size = 0;
  for (int number = 0; number < 40; ++number) {
    const rules::Deal deal = DealNumber(number, 4);
    std::array<rules::CardSet, rules::kPlayersMax> turned;
    for (std::size_t seat = 0; seat < 4; ++seat) turned[(seat + 1) % 4] = deal.dealt[seat];
    const rules::Deal other = StartDeal(deal.rules, 4, (deal.dealer + 1) % 4, turned, deal.dog);
    const Baseline a = ComputeBaseline(deal, 0);
    const Baseline b = ComputeBaseline(other, 0);
    for (std::size_t seat = 0; seat < 4; ++seat) {
      difference += std::abs(a.mean_scores[seat] - b.mean_scores[(seat + 1) % 4]);
      size += std::abs(a.mean_scores[seat]);
    }
  }
  EXPECT_GT(size, 4 * 40 * 15);
  EXPECT_LT(difference, 0.3 * size);
}

// All baselines of a season must come from one version of the bots. If this test fails, the bots
// have changed. Then raise kBaselinePolicy and fit the ladders again (tarot-lab season).
TEST(BaselineTest, PolicyOneNeverChanges) {
  static_assert(kBaselinePolicy == 1);
  const Baseline baseline = ComputeBaseline(DealNumber(7, 4), 0);
  // Each mean is a sum of 64 whole numbers divided by 64, so a double holds it exactly.
  EXPECT_EQ(baseline.mean_scores, (std::array<double, rules::kPlayersMax>{63.078125, -21.296875,
                                                                          -23.921875, -17.859375}));
  EXPECT_NEAR(baseline.deviation, 49.1199, 1e-4);
}

TEST(BaselineTest, DependsOnNothingButTheDeal) {
  const rules::Deal deal = DealNumber(3, 5);
  const Baseline a = ComputeBaseline(deal, 1.5);
  const Baseline b = ComputeBaseline(deal, 1.5);
  EXPECT_EQ(a.mean_scores, b.mean_scores);
  EXPECT_EQ(a.deviation, b.deviation);
}

// The players of these deals are bots with the bid shift `shift`, which is not 0. The fit must find
// this number.
TEST(BidShiftTest, FindsThePlayersWhoBidMoreOrLess) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  for (const int shift : {-6, 7}) {
    std::vector<LuckSample> samples;
    Rng rng(5);
    for (int number = 0; number < 400; ++number) {
      const rules::Deal dealt = RandomDeal(rules, 4, rng);
      std::array<ReplayBot, rules::kPlayersMax> bots;
      bots.fill({.bid_shift = static_cast<double>(shift)});
      const auto scores = Replayer(dealt).Play(bots, rng);
      samples.push_back({.dealer = dealt.dealer,
                         .hands = dealt.dealt,
                         .dog = dealt.dog,
                         .scores = {scores.begin(), scores.begin() + 4}});
    }
    EXPECT_NEAR(FitBidShift(rules, samples), shift, 3);
  }
}

TEST(BidShiftTest, PlaceMeansSumToZero) {
  const auto means = PlaceMeans(rules::FindRuleSet("fft")->rules, 4, 0, 300, 1);
  EXPECT_NEAR(std::accumulate(means.begin(), means.end(), 0.0), 0, 1e-9);
  EXPECT_NE(means[0], 0);
}

}  // namespace
}  // namespace tarot::ai
