#include "libs/rating/rating.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "libs/base/rng.h"

namespace tarot::rating {
namespace {

std::vector<Entrant> People(const std::vector<double>& mu, const std::vector<double>& variance,
                            const std::vector<double>& y) {
  std::vector<Entrant> entrants;
  for (std::size_t i = 0; i < y.size(); ++i) {
    entrants.push_back({.skill = {mu[i], variance[i]}, .points_per_deal = y[i]});
  }
  return entrants;
}

std::vector<Entrant> Newcomers(const std::vector<double>& y) {
  return People(std::vector<double>(y.size(), 0), std::vector<double>(y.size(), 16), y);
}

void ExpectSkills(const std::vector<Skill>& skills, const std::vector<double>& mu,
                  const std::vector<double>& variance) {
  for (std::size_t i = 0; i < skills.size(); ++i) {
    EXPECT_NEAR(skills[i].mu, mu[i], 1e-9) << "player " << i;
    EXPECT_NEAR(skills[i].variance, variance[i], 1e-9) << "player " << i;
  }
}

double Between(Rng& rng, double low, double high) {
  return low + (high - low) * rng.Below(1'000'001) / 1e6;
}

std::vector<double> ResultsThatSumToZero(Rng& rng, int n, double size) {
  std::vector<double> y;
  for (int i = 0; i < n; ++i) y.push_back(Between(rng, -size, size));
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  for (double& v : y) v -= mean;
  return y;
}

using Matrix = std::vector<std::vector<double>>;

// Returns the inverse of `m`, by Gauss-Jordan elimination with partial pivots.
Matrix Inverse(Matrix m) {
  const std::size_t n = m.size();
  Matrix inverse(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    }
    std::swap(m[c], m[pivot]);
    std::swap(inverse[c], inverse[pivot]);
    const double scale = m[c][c];
    for (std::size_t k = 0; k < n; ++k) {
      m[c][k] /= scale;
      inverse[c][k] /= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == c ? 0 : m[r][c];
      for (std::size_t k = 0; k < n; ++k) {
        m[r][k] -= factor * m[c][k];
        inverse[r][k] -= factor * inverse[c][k];
      }
    }
  }
  return inverse;
}

// Returns the posterior of the model y = A * theta + noise. Computes the posterior with full
// matrices, without the formulas of Posterior().
std::vector<Skill> DensePosterior(const std::vector<Entrant>& entrants, double deals,
                                  double sigma2) {
  const std::size_t n = entrants.size();
  const double others = static_cast<double>(n) - 1;
  Matrix precision(n, std::vector<double>(n, 0));
  std::vector<double> h(n, 0);
  const auto design = [&](std::size_t r, std::size_t c) { return r == c ? 1 : -1 / others; };
  for (std::size_t i = 0; i < n; ++i) {
    precision[i][i] = 1 / entrants[i].skill.variance;
    h[i] = entrants[i].skill.mu / entrants[i].skill.variance;
    for (std::size_t k = 0; k < n; ++k) {
      h[i] += design(k, i) * deals / sigma2 * entrants[k].points_per_deal;
      for (std::size_t j = 0; j < n; ++j) {
        precision[i][j] += design(k, i) * design(k, j) * deals / sigma2;
      }
    }
  }
  const Matrix covariance = Inverse(precision);
  std::vector<Skill> skills;
  for (std::size_t i = 0; i < n; ++i) {
    skills.push_back({.mu = 0, .variance = covariance[i][i]});
    for (std::size_t j = 0; j < n; ++j) skills[i].mu += covariance[i][j] * h[j];
  }
  return skills;
}

// The next four tests check the rows of the table in docs/ladder.md.
TEST(RateTest, GivesFourNewcomersTheSkillsOfTheVector) {
  const double v = 14.590664067;
  ExpectSkills(Rate(Model(1710), Newcomers({30, 10, -10, -30}), 8),
               {2.6425048744, 0.8808349581, -0.8808349581, -2.6425048744}, {v, v, v, v});
}

TEST(RateTest, GivesThreeNewcomersTheSkillsOfTheVector) {
  const double v = 14.4624624625;
  ExpectSkills(Rate(Model(1710), Newcomers({20, -5, -15}), 8),
               {1.9219219219, -0.4804804805, -1.4414414414}, {v, v, v});
}

TEST(RateTest, GivesFiveNewcomersTheSkillsOfTheVector) {
  const double v = 14.6596858639;
  ExpectSkills(Rate(Model(1710), Newcomers({40, 20, -20, -20, -20}), 8),
               {3.3507853403, 1.6753926702, -1.6753926702, -1.6753926702, -1.6753926702},
               {v, v, v, v, v});
}

TEST(RateTest, GivesFourHistoriesTheSkillsOfTheVector) {
  ExpectSkills(Rate(Model(1710), People({3, -1, 0, 2}, {4, 16, 16, 9}, {-12, 30, -6, -12}), 8),
               {2.6582740956, 1.9227835, -0.3656670104, 1.3305052595},
               {3.9052359888, 14.5736015603, 14.5736015603, 8.532411716});
}

TEST(RateTest, MatchesTheDensePosterior) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    Rng rng(seed);
    const int n = 3 + rng.Below(3);
    const int deals = 1 + rng.Below(20);
    std::vector<double> mu;
    std::vector<double> variance;
    for (int i = 0; i < n; ++i) {
      mu.push_back(Between(rng, -8, 8));
      variance.push_back(Between(rng, 0.2, 16));
    }
    const auto entrants = People(mu, variance, ResultsThatSumToZero(rng, n, 15));
    const std::vector<Skill> after = Rate(Model(1710), entrants, deals);
    const std::vector<Skill> dense = DensePosterior(entrants, deals, 1710);
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(after[at].mu, dense[at].mu, 1e-9);
      EXPECT_NEAR(after[at].variance, dense[at].variance, 1e-9);
    }
  }
}

TEST(RateTest, ExtremeMatchPullsLittleMoreThanABadOne) {
  const auto pull = [](double y) {
    return Rate(Model(1710), Newcomers({y, -y / 3, -y / 3, -y / 3}), 8)[0].mu;
  };
  EXPECT_NEAR(pull(40) / pull(20), 2, 1e-9)
      << "the effect of an ordinary match is proportional to the points";
  EXPECT_GT(pull(1000), pull(100)) << "more points are never worth less";
  EXPECT_LT(pull(1e6), 2 * pull(50));
}

TEST(RateTest, BotsHalveOnlyAPersonsStep) {
  std::vector<Entrant> entrants = People({3, -1, 0, 2}, {4, 16, 16, 9}, {-12, 30, -6, -12});
  const std::vector<Skill> full = Rate(Model(1710), entrants, 8);
  for (const std::size_t bot : {1u, 2u, 3u}) entrants[bot].bot = true;
  const std::vector<Skill> alone = Rate(Model(1710), entrants, 8);
  EXPECT_NEAR(alone[0].mu - 3, (full[0].mu - 3) / 2, 1e-12);
  EXPECT_NEAR(4 - alone[0].variance, (4 - full[0].variance) / 2, 1e-12);
  for (const std::size_t bot : {1u, 2u, 3u}) EXPECT_EQ(alone[bot], full[bot]);

  // One of three opponents is a bot, so the change of the skill is a sixth smaller.
  entrants[1].bot = entrants[2].bot = false;
  const std::vector<Skill> mixed = Rate(Model(1710), entrants, 8);
  EXPECT_NEAR(mixed[1].mu + 1, (full[1].mu + 1) * 5 / 6, 1e-12);
  EXPECT_EQ(mixed[3], full[3]);
}

TEST(RateTest, NewcomersChangeTheRatingOfOthersLittle) {
  std::vector<Entrant> entrants = People({3, -1, 0, 2}, {4, 16, 16, 9}, {30, -10, -10, -10});
  const std::vector<Skill> full = Rate(Model(1710), entrants, 8);
  for (const std::size_t newcomer : {1u, 2u, 3u}) entrants[newcomer].newcomer = true;
  const std::vector<Skill> alone = Rate(Model(1710), entrants, 8);
  EXPECT_NEAR(alone[0].mu - 3, (full[0].mu - 3) / 4, 1e-12);
  EXPECT_NEAR(4 - alone[0].variance, (4 - full[0].variance) / 4, 1e-12);
  for (const std::size_t newcomer : {1u, 2u, 3u}) {
    EXPECT_EQ(alone[newcomer], full[newcomer]) << "newcomers soon have a history";
  }
  // One opponent is a newcomer, one is a bot and one has a history.
  entrants[2] = {.skill = entrants[2].skill, .points_per_deal = -10, .bot = true};
  entrants[3].newcomer = false;
  EXPECT_NEAR(Rate(Model(1710), entrants, 8)[0].mu - 3, (full[0].mu - 3) * (1 - 1.25 / 3), 1e-12);
}

TEST(SurprisesTest, HaveVarianceOneUnderTheModel) {
  // Under the model, the mean of z^2 is 1. The test draws skills and noise, and checks this mean.
  const Model model = Model::ForTable(4);
  Rng rng(7);
  const auto normal = [&rng] {  // Twelve uniform numbers have a sum of variance 1.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Between(rng, 0, 1);
    return sum;
  };
  double sum_of_squares = 0;
  constexpr int kMatches = 20'000;
  for (int match = 0; match < kMatches; ++match) {
    std::vector<double> truth(4);
    std::vector<double> noise(4);
    for (double& t : truth) t = std::sqrt(model.Prior().variance) * normal();
    for (double& e : noise) e = std::sqrt(model.noise_variance() / 8) * normal();
    const double truth_sum = std::accumulate(truth.begin(), truth.end(), 0.0);
    const double noise_mean = std::accumulate(noise.begin(), noise.end(), 0.0) / 4;
    std::vector<Entrant> entrants;
    for (std::size_t i = 0; i < 4; ++i) {
      const double expected = truth[i] - (truth_sum - truth[i]) / 3;
      entrants.push_back(
          {.skill = model.Prior(), .points_per_deal = expected + noise[i] - noise_mean});
    }
    for (const double z : Surprises(model, entrants, 8)) sum_of_squares += z * z;
  }
  EXPECT_NEAR(sum_of_squares / (4 * kMatches), 1, 0.02);
}

TEST(ModelTest, DisplaysASkillDeviationOf4As300) {
  const Model model(2925);
  EXPECT_NEAR(model.Prior().variance, 16, 1e-12);
  EXPECT_NEAR(model.ShownRating({.mu = 1, .variance = 16}), 1575, 1e-9);
  EXPECT_NEAR(model.ShownDeviation({.mu = 1, .variance = 4}), 150, 1e-9);
}

TEST(ModelTest, EveryLadderStartsAt1500And300) {
  for (const int n : {3, 4, 5}) {
    const Model model = Model::ForTable(n);
    EXPECT_NEAR(model.ShownRating(model.Prior()), 1500, 1e-9);
    EXPECT_NEAR(model.ShownDeviation(model.Prior()), 300, 1e-9);
    EXPECT_NEAR(model.VarianceOfDeviation(300), model.Prior().variance, 1e-9);
  }
}

TEST(TierTest, DependsOnTheRatingMinusTwoDeviations) {
  EXPECT_EQ(TierOf(1500, 300), Tier::kValet) << "a new player";
  EXPECT_EQ(TierOf(1499.9, 100), Tier::kValet);
  EXPECT_EQ(TierOf(1500, 100), Tier::kCavalier);
  EXPECT_EQ(TierOf(1699.9, 100), Tier::kCavalier);
  EXPECT_EQ(TierOf(1700, 100), Tier::kDame);
  EXPECT_EQ(TierOf(1900, 100), Tier::kRoi);
  EXPECT_EQ(TierOf(3000, 10), Tier::kRoi) << "the highest tier depends on the place";
}

TEST(ModelTest, AbsenceGrowsTheVarianceUpToThePrior) {
  const Model model(2925);
  const Skill known{.mu = 2, .variance = 1};
  EXPECT_NEAR(model.Aged(known, absl::Hours(24 * 30)).variance, 2, 1e-12);
  EXPECT_EQ(model.Aged(known, absl::Hours(24 * 3650)).variance, model.Prior().variance);
  EXPECT_EQ(model.Aged(known, -absl::Hours(24)), known);
  EXPECT_NEAR(model.Aged(known, absl::Hours(24 * 30), 2).variance, 2 + 2 * 1.6, 1e-12);
  EXPECT_EQ(model.Aged(known, absl::Hours(24), 10).variance, model.Prior().variance);
  EXPECT_EQ(model.Aged(known, absl::Hours(24 * 30)).mu, 2);
}

}  // namespace
}  // namespace tarot::rating
