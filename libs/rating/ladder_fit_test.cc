#include "libs/rating/ladder_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "libs/base/rng.h"

namespace tarot::rating {
namespace {

using ::testing::HasSubstr;

constexpr int kPlayers = 40;
constexpr int kDealsOfMatch = 6;

// The model from which a test draws its matches.
struct World {
  double skill_deviation = 8;
  double luck = 0.9;  // The points that a seat gets on average for each point of its baseline.
  // The standard deviation of the noise in a deal's scores. The argument is the standard deviation
  // of the scores in the deal's replays.
  double (*noise)(double deviation) = [](double deviation) { return deviation; };
  // In every second round, the players' skills are multiplied by this number, 1 or -1.
  int second_half = 1;
};

double Uniform(Rng& rng) { return rng.Below(1'000'001) / 1e6; }
double Normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Uniform(rng);
  return sum;
}

// Returns four random numbers whose sum is zero. Each number has the standard deviation
// `deviation`.
std::vector<double> Centred(double deviation, Rng& rng) {
  std::vector<double> numbers;
  for (int i = 0; i < 4; ++i) numbers.push_back(deviation * Normal(rng) / std::sqrt(0.75));
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / 4;
  for (double& number : numbers) number -= mean;
  return numbers;
}

std::vector<PlayedMatch> Play(const World& world, int rounds = 100) {
  Rng rng(7);
  std::vector<double> skills;
  for (int i = 0; i < kPlayers; ++i) skills.push_back(world.skill_deviation * Normal(rng));
  std::vector<int> order(kPlayers);
  std::iota(order.begin(), order.end(), 0);
  std::vector<PlayedMatch> matches;
  for (int round = 0; round < rounds; ++round) {
    rng.Shuffle(order);
    for (std::size_t first = 0; first < kPlayers; first += 4) {
      PlayedMatch match{.scored = kDealsOfMatch};
      double sum = 0;
      for (std::size_t seat = 0; seat < 4; ++seat) {
        match.players.push_back(order[first + seat]);
        sum += skills[static_cast<std::size_t>(match.players.back())];
      }
      for (int number = 0; number < kDealsOfMatch; ++number) {
        PlayedDeal deal{.deviation = 20 + 80 * Uniform(rng)};
        deal.mean_scores = Centred(40, rng);
        const std::vector<double> noise = Centred(world.noise(deal.deviation), rng);
        int total = 0;
        for (std::size_t seat = 0; seat < 4; ++seat) {
          const double own = skills[static_cast<std::size_t>(match.players[seat])];
          const double skill = (own - (sum - own) / 3) * (round % 2 == 0 ? 1 : world.second_half);
          deal.scores.push_back(static_cast<int>(
              std::lround(skill + world.luck * deal.mean_scores[seat] + noise[seat])));
          total += deal.scores.back();
        }
        deal.scores[0] -= total;
        match.deals.push_back(deal);
      }
      matches.push_back(match);
    }
  }
  return matches;
}

TEST(LadderFitTest, FindsTheNumbersBehindTheMatches) {
  const auto fit = FitLadder(Play({.noise = [](double) { return 30.0; }}, 400), {});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_NEAR(fit->numbers.luck_share, 0.9, 0.02);
  EXPECT_NEAR(fit->numbers.prior_variance, 64, 25);
  // The variance of one seat's noise in a deal is 30 * 30. The noise variance is this variance
  // times n / (n - 1), here with n = 4 players.
  EXPECT_NEAR(fit->numbers.noise_variance / (30 * 30 * 4 / 3.0), 1.15, 0.15);
  EXPECT_EQ(fit->deals, 400 * 10 * kDealsOfMatch);
  // The variance of a score is the sum of the variances of luck (36 * 36), noise (30 * 30) and
  // skill (64 * 4 / 3). `luck_removed` is the share of luck in this sum.
  EXPECT_NEAR(fit->luck_removed, 36.0 * 36 / (36 * 36 + 30 * 30 + 64 * 4 / 3.0), 0.02);
}

TEST(LadderFitTest, AGivenLuckShareStays) {
  const auto fit = FitLadder(Play({}), {}, 0.5);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_EQ(fit->numbers.luck_share, 0.5);
}

// A deal in which luck decides more has a smaller weight. The fit scales the weights, so that one
// more point of skill gives one more point of weighted results on average.
TEST(LadderFitTest, WeightsKeepTheScaleOfSkills) {
  const std::vector<PlayedMatch> matches = Play({}, 400);
  const auto fit = FitLadder(matches, {});
  ASSERT_TRUE(fit.ok()) << fit.status();
  const LadderNumbers plain = FitPlainPoints(matches, 4);
  EXPECT_NEAR(fit->numbers.prior_variance / plain.prior_variance, 1, 0.1);
  double sum = 0;
  double count = 0;
  for (const PlayedMatch& match : matches) {
    for (const PlayedDeal& deal : match.deals) {
      sum += LuckIn(fit->numbers, deal).weight;
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 1, 0.05);
}

TEST(LadderFitTest, RefusesBaselinesThatAddVariance) {
  std::vector<PlayedMatch> matches = Play({});
  for (std::size_t i = 1; i < matches.size(); i += 2) {
    for (PlayedDeal& deal : matches[i].deals) {
      for (double& mean : deal.mean_scores) mean = -mean;
    }
  }
  const auto fit = FitLadder(matches, {});
  EXPECT_EQ(fit.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(fit.status().message(), HasSubstr("to the variance of the points"));
}

// A deal has a larger weight if the scores of its replays vary less. In this test, the players'
// scores have the most noise in these deals. So the weighted results vary more than plain points.
TEST(LadderFitTest, RefusesWeightsThatAddVariance) {
  const auto fit = FitLadder(
      Play({.luck = 0.1, .noise = [](double deviation) { return 4000 / deviation; }}, 200), {});
  EXPECT_EQ(fit.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(fit.status().message(), HasSubstr("more than plain points"));
}

TEST(LadderFitTest, RefusesMatchesThatShowNoSkill) {
  for (const auto& matches : {Play({.second_half = -1}), Play({}, 0)}) {
    const auto fit = FitLadder(matches, {});
    EXPECT_EQ(fit.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(fit.status().message(), HasSubstr("too few"));
  }
}

TEST(LadderFitTest, PassedDealsCountWithoutAScore) {
  PlayedMatch match{.players = {0, 1, 2, 3}, .scored = 2};
  match.deals = {{.scores = {30, -10, -10, -10}, .mean_scores = {8, 0, 0, -8}, .deviation = 25},
                 {.scores = {0, 0, 0, 0}, .mean_scores = {8, 0, 0, -8}, .deviation = 25},
                 {.scores = {-6, 2, 2, 2}, .mean_scores = {0, 0, 0, 0}, .deviation = 25}};
  const LadderNumbers numbers{.luck_share = 0.5, .weight_scale = 5};
  EXPECT_THAT(ResultsOfMatch(numbers, match), testing::ElementsAre(8, -4, -4, 0));
  EXPECT_THAT(PointsOfMatch(match), testing::ElementsAre(12, -4, -4, -4));
}

}  // namespace
}  // namespace tarot::rating
