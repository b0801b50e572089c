#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libs/testkit/status_matchers.h"
#include "tools/lab/season/evaluate.h"
#include "tools/lab/season/fit.h"

namespace tarot::lab {
namespace {

using ::testing::HasSubstr;
using testkit::IsOk;

constexpr SeasonOptions kSmall{.player_count = 4, .population = 24, .rounds = 24, .seed = 5};

std::array<double, rules::kPlayersMax> NoPlaceMeans() { return {}; }

TEST(SeasonTest, EveryPlayerPlaysEveryRound) {
  const std::vector<SeasonMatch> matches = PlaySeason(Population(24, 1), kSmall);
  ASSERT_EQ(matches.size(), 24U * 6);
  std::vector<int> played(24, 0);
  for (const SeasonMatch& match : matches) {
    for (const int player : match.players) ++played[static_cast<std::size_t>(player)];
    EXPECT_EQ(match.scored, kSmall.scored_deals);
    for (const SeasonDeal& deal : match.deals) {
      EXPECT_EQ(std::accumulate(deal.scores.begin(), deal.scores.end(), 0), 0);
    }
  }
  EXPECT_THAT(played, testing::Each(24));
}

TEST(SeasonTest, TheFitTakesLuckOutOfDealsThatItHasNotSeen) {
  const std::vector<SeasonMatch> season = PlaySeason(Population(24, 1), kSmall);
  const auto fit = FitLadder(season, 4, 24, 0, NoPlaceMeans());
  ASSERT_THAT(fit, IsOk());
  SeasonOptions next = kSmall;
  next.seed = 77;
  const std::vector<SeasonMatch> other = PlaySeason(Population(24, 2), next);
  EXPECT_GT(LuckRemoved(fit->numbers, other), 0.25);
  EXPECT_GT(fit->numbers.noise_variance, 0);
  EXPECT_GT(fit->numbers.luck_share, 0.5);
  EXPECT_LT(fit->numbers.luck_share, 1.1);
}

// The test changes the sign of the baselines of every second match. With such baselines a fit adds
// variance.
TEST(SeasonTest, AFitThatAddsVarianceIsRefused) {
  std::vector<SeasonMatch> season = PlaySeason(Population(24, 1), kSmall);
  for (std::size_t i = 1; i < season.size(); i += 2) {
    for (SeasonDeal& deal : season[i].deals) {
      for (double& mean : deal.baseline.mean_scores) mean = -mean;
    }
  }
  const auto fit = FitLadder(season, 4, 24, 0, NoPlaceMeans());
  EXPECT_EQ(fit.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(fit.status().message(), HasSubstr("to the variance"));
}

// The baseline knows only the cards. So it is fair to players whom it does not resemble: over many
// deals, the luck of any group is zero within its error.
TEST(SeasonTest, TheLuckOfEveryGroupOfPlayersIsZero) {
  SeasonOptions options{.player_count = 4, .population = 40, .rounds = 40, .seed = 9};
  const std::vector<ai::ReplayBot> population = Population(40, 3);
  const std::vector<SeasonMatch> season = PlaySeason(population, options);
  rating::LadderNumbers numbers{
      .player_count = 4, .place_means = PlaceMeans(4, 0, 4'000, 1), .luck_share = 1};
  std::vector<int> order(population.size());
  const auto group = [&](const char* name, auto before) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return before(population[static_cast<std::size_t>(a)],
                    population[static_cast<std::size_t>(b)]);
    });
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const SeasonMatch& match : season) {
      for (std::size_t seat = 0; seat < match.players.size(); ++seat) {
        if (std::find(order.begin(), order.begin() + 8, match.players[seat]) == order.begin() + 8) {
          continue;
        }
        for (const SeasonDeal& deal : match.deals) {
          const rating::DealLuck luck = LuckIn(numbers, deal);
          sum += luck.points[seat];
          squares += luck.points[seat] * luck.points[seat];
          ++count;
        }
      }
    }
    EXPECT_LT(std::abs(sum / count), 3.5 * std::sqrt(squares / count / count)) << name;
  };
  group("weakest", [](const auto& a, const auto& b) { return a.random_cards > b.random_cards; });
  group("strongest", [](const auto& a, const auto& b) { return a.random_cards < b.random_cards; });
  group("tight", [](const auto& a, const auto& b) { return a.bid_shift < b.bid_shift; });
  group("loose", [](const auto& a, const auto& b) { return a.bid_shift > b.bid_shift; });
}

TEST(SeasonTest, RatingsFindTheOrderOfThePlayers) {
  // Random cards cost points, and these bots differ in nothing else.
  std::vector<ai::ReplayBot> population;
  std::vector<double> skills;
  for (int i = 0; i < 24; ++i) {
    population.push_back({.random_cards = 40 * i});
    skills.push_back(-i);
  }
  SeasonOptions options = kSmall;
  options.rounds = 32;
  const std::vector<SeasonMatch> season = PlaySeason(population, options);
  const auto fit = FitLadder(season, 4, 24, 0, NoPlaceMeans());
  ASSERT_THAT(fit, IsOk());
  const SeasonReport report = Evaluate(fit->numbers, season, skills, false);
  EXPECT_GT(report.rank_correlation[1], 0.5);
  EXPECT_GT(report.z_rms, 0.7);
  EXPECT_LT(report.z_rms, 1.4);
}

}  // namespace
}  // namespace tarot::lab
