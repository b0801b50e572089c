#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libs/testkit/status_matchers.h"
#include "tools/lab/season/evaluate.h"
#include "tools/lab/season/simulation.h"

namespace tarot::lab {
namespace {

using testkit::IsOk;

constexpr SeasonOptions kSmall{.player_count = 4, .population = 24, .rounds = 24, .seed = 5};
constexpr rating::LadderNumbers kUnfitted{.player_count = 4, .luck_share = 1};

Season SeasonWithBaselines(const std::vector<ai::ReplayBot>& population,
                           const SeasonOptions& options) {
  Season season = PlaySeason(population, options);
  AddBaselines(0, season);
  return season;
}

TEST(SeasonTest, EveryPlayerPlaysEveryRound) {
  const Season season = PlaySeason(Population(24, 1), kSmall);
  ASSERT_EQ(season.matches.size(), 24U * 6);
  std::vector<int> played(24, 0);
  std::size_t deals = 0;
  for (const rating::PlayedMatch& match : season.matches) {
    for (const int player : match.players) ++played[static_cast<std::size_t>(player)];
    EXPECT_EQ(match.scored, kSmall.scored_deals);
    for (const rating::PlayedDeal& deal : match.deals) {
      EXPECT_EQ(std::accumulate(deal.scores.begin(), deal.scores.end(), 0), 0);
      EXPECT_EQ(season.deals[deals++].scores, deal.scores);
    }
  }
  EXPECT_EQ(season.deals.size(), deals);
  EXPECT_THAT(played, testing::Each(24));
}

TEST(SeasonTest, TheFitTakesLuckOutOfDealsThatItHasNotSeen) {
  const Season season = SeasonWithBaselines(Population(24, 1), kSmall);
  const auto fit = rating::FitLadder(season.matches, kUnfitted);
  ASSERT_THAT(fit, IsOk());
  SeasonOptions next = kSmall;
  next.seed = 77;
  const Season other = SeasonWithBaselines(Population(24, 2), next);
  EXPECT_GT(rating::LuckRemoved(fit->numbers, other.matches), 0.25);
  EXPECT_GT(fit->numbers.noise_variance, 0);
  EXPECT_GT(fit->numbers.luck_share, 0.5);
  EXPECT_LT(fit->numbers.luck_share, 1.1);
  EXPECT_LT(fit->variance_ratio, 0.8);
}

// The last four players choose most of their cards at random, so their skills must be lower.
TEST(SeasonTest, TrueSkillsShowTheOrderOfThePlayers) {
  const std::vector<ai::ReplayBot> population{
      {.random_cards = 0},   {.random_cards = 0},   {.random_cards = 0},   {.random_cards = 0},
      {.random_cards = 900}, {.random_cards = 900}, {.random_cards = 900}, {.random_cards = 900}};
  const std::vector<double> skills = TrueSkills(population, kSmall, 200);
  EXPECT_NEAR(std::accumulate(skills.begin(), skills.end(), 0.0), 0, 1e-6);
  EXPECT_GT(*std::min_element(skills.begin(), skills.begin() + 4),
            *std::max_element(skills.begin() + 4, skills.end()));
}

// The baseline depends only on the cards. So it is fair to all players, even if they play in
// another style than the bots of the replays. Over many deals, the mean luck of any group of
// players is zero, up to 3.5 standard errors.
TEST(SeasonTest, TheLuckOfEveryGroupOfPlayersIsZero) {
  SeasonOptions options{.player_count = 4, .population = 40, .rounds = 40, .seed = 9};
  const std::vector<ai::ReplayBot> population = Population(40, 3);
  const Season season = SeasonWithBaselines(population, options);
  rating::LadderNumbers numbers = kUnfitted;
  numbers.place_means = ai::PlaceMeans(rules::RuleSet(), 4, 0, 4'000, 1);
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
    for (const rating::PlayedMatch& match : season.matches) {
      for (std::size_t seat = 0; seat < match.players.size(); ++seat) {
        if (std::find(order.begin(), order.begin() + 8, match.players[seat]) == order.begin() + 8) {
          continue;
        }
        for (const rating::PlayedDeal& deal : match.deals) {
          const rating::DealLuck luck = rating::LuckIn(numbers, deal);
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
  // Random cards cost points, and the bots differ only in the number of their random cards.
  std::vector<ai::ReplayBot> population;
  std::vector<double> skills;
  for (int i = 0; i < 24; ++i) {
    population.push_back({.random_cards = 40 * i});
    skills.push_back(-i);
  }
  SeasonOptions options = kSmall;
  options.rounds = 32;
  const Season season = SeasonWithBaselines(population, options);
  const auto fit = rating::FitLadder(season.matches, kUnfitted);
  ASSERT_THAT(fit, IsOk());
  const SeasonReport report = Evaluate(fit->numbers, season.matches, skills, false);
  EXPECT_GT(report.rank_correlation[1], 0.5);
  EXPECT_GT(report.z_rms, 0.7);
  EXPECT_LT(report.z_rms, 1.4);
}

}  // namespace
}  // namespace tarot::lab
