#include "libs/rating/rating.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "libs/base/check.h"

namespace tarot::rating {
namespace {

constexpr double kShownMean = 1500;
constexpr double kShownPriorDeviation = 300;
// Each tier begins at one of these values. The value of a player is the displayed rating minus two
// displayed deviations.
constexpr double kCavalierFrom = 1300;
constexpr double kDameFrom = 1500;
constexpr double kRoiFrom = 1700;
// The prior variance of skills, divided by the noise variance of one deal. Both numbers come from
// the simulation in docs/ladder.md. There, skills had a standard deviation of 4 points. The result
// of one deal had a standard deviation of 54 points (the square root of 2925).
constexpr double kSkillShare = 16.0 / 2925.0;
// In an absence of this length (480 days, sixteen months), the variance grows from zero to the
// variance of the prior.
constexpr absl::Duration kForgetTime = absl::Hours(24 * 480);
constexpr double kSurpriseMax = 4;

// The numbers n, a and b of the formulas in docs/ladder.md. They say how much one match tells about
// the players' skills.
struct Information {
  double n;
  double a;  // How much the match adds to the precision of a skill (1 / variance).
  double b;  // The weight of a result.
};

Information Of(int player_count, double deal_count, double noise_variance) {
  const double n = player_count;
  const double b = n / (n - 1) * deal_count / noise_variance;
  return {.n = n, .a = n / (n - 1) * b, .b = b};
}

// One number for each entrant. An array allocates no memory. This saves time when a recomputation
// calls Rate() for each match of a ledger.
using Numbers = std::array<double, kPlayersMax>;

std::vector<Skill> Posterior(absl::Span<const Entrant> entrants, const Information& info) {
  Numbers w{};
  double sum_w = 0;
  double sum_wh = 0;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const Entrant& e = entrants[i];
    w[i] = 1 / (1 / e.skill.variance + info.a);
    sum_w += w[i];
    sum_wh += w[i] * (e.skill.mu / e.skill.variance + info.b * e.points_per_deal);
  }
  const double share = info.a / info.n;
  const double d = 1 - share * sum_w;
  std::vector<Skill> after(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const Entrant& e = entrants[i];
    const double h = e.skill.mu / e.skill.variance + info.b * e.points_per_deal;
    after[i] = {.mu = w[i] * h + w[i] * share * sum_wh / d,
                .variance = w[i] + share * w[i] * w[i] / d};
  }
  return after;
}

// Returns a factor from 1/4 to 1. The change of an entrant's skill is multiplied by this factor.
// The factor is below 1 for a person who met bots, and for a person with a history who met
// newcomers. `n` is the number of players.
double Weight(const Entrant& entrant, int bot_count, int newcomer_count, double n) {
  if (entrant.bot) return 1;
  const double less = entrant.newcomer ? bot_count / 2.0 : bot_count / 2.0 + newcomer_count * 0.75;
  return 1 - less / (n - 1);
}

void CheckMatch(absl::Span<const Entrant> entrants, int deal_count) {
  TAROT_CHECK(entrants.size() >= kPlayersMin && entrants.size() <= kPlayersMax);
  TAROT_CHECK(deal_count >= 1);
}

// Returns the numbers of Surprises(). The elements after the last entrant are zero.
Numbers SurprisesOf(const Model& model, absl::Span<const Entrant> entrants, int deal_count) {
  CheckMatch(entrants, deal_count);
  const double n = static_cast<double>(entrants.size());
  double sum_mu = 0;
  double sum_variance = 0;
  for (const Entrant& e : entrants) {
    sum_mu += e.skill.mu;
    sum_variance += e.skill.variance;
  }
  const double noise = model.noise_variance() / deal_count * (n - 1) / n;
  Numbers surprises{};
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const Entrant& e = entrants[i];
    const double expected = e.skill.mu - (sum_mu - e.skill.mu) / (n - 1);
    const double others_variance = (sum_variance - e.skill.variance) / ((n - 1) * (n - 1));
    surprises[i] =
        (e.points_per_deal - expected) / std::sqrt(e.skill.variance + others_variance + noise);
  }
  return surprises;
}

}  // namespace

Model::Model(double noise_variance) : Model(noise_variance, noise_variance * kSkillShare) {}

Model::Model(double noise_variance, double prior_variance)
    : noise_variance_(noise_variance),
      prior_variance_(prior_variance),
      shown_scale_(kShownPriorDeviation / std::sqrt(prior_variance_)) {}

Model Model::ForTable(int player_count) {
  TAROT_CHECK(player_count >= kPlayersMin && player_count <= kPlayersMax);
  // The sigma^2 for 3, 4 and 5 players. Each is the geometric mean of two measured variances: one
  // at tables of novice bots, one at tables of club bots. docs/ladder.md has the measurements.
  constexpr double kNoiseVariances[] = {17'000, 20'000, 24'000};
  return Model(kNoiseVariances[player_count - kPlayersMin]);
}

Skill Model::Aged(Skill skill, absl::Duration absence, int seasons) const {
  const double growth = VarianceGrowthPerSecond() * std::max(0.0, absl::ToDoubleSeconds(absence)) +
                        VarianceGrowthPerSeason() * seasons;
  skill.variance = std::min(skill.variance + growth, prior_variance_);
  return skill;
}

double Model::VarianceGrowthPerSecond() const {
  return prior_variance_ / absl::ToDoubleSeconds(kForgetTime);
}

double Model::VarianceGrowthPerSeason() const { return prior_variance_ / 10; }

double Model::ShownRating(Skill skill) const { return kShownMean + shown_scale_ * skill.mu; }

double Model::ShownDeviation(Skill skill) const { return shown_scale_ * std::sqrt(skill.variance); }

Tier TierOf(double shown_rating, double shown_deviation) {
  const double sure = shown_rating - 2 * shown_deviation;
  if (sure >= kRoiFrom) return Tier::kRoi;
  if (sure >= kDameFrom) return Tier::kDame;
  return sure >= kCavalierFrom ? Tier::kCavalier : Tier::kValet;
}

double Model::VarianceOfDeviation(double shown_deviation) const {
  const double deviation = shown_deviation / shown_scale_;
  return deviation * deviation;
}

std::vector<double> Surprises(const Model& model, absl::Span<const Entrant> entrants,
                              int deal_count) {
  const Numbers surprises = SurprisesOf(model, entrants, deal_count);
  return {surprises.begin(), surprises.begin() + static_cast<std::ptrdiff_t>(entrants.size())};
}

std::vector<Skill> Rate(const Model& model, absl::Span<const Entrant> entrants, int deal_count) {
  double worst = 0;
  for (const double z : SurprisesOf(model, entrants, deal_count))
    worst = std::max(worst, std::abs(z));
  const double noise_variance = model.noise_variance() * std::max(1.0, worst / kSurpriseMax);

  const int player_count = static_cast<int>(entrants.size());
  const Information info = Of(player_count, deal_count, noise_variance);
  std::vector<Skill> after = Posterior(entrants, info);

  const int bot_count = static_cast<int>(
      std::count_if(entrants.begin(), entrants.end(), [](const Entrant& e) { return e.bot; }));
  const int newcomer_count = static_cast<int>(
      std::count_if(entrants.begin(), entrants.end(), [](const Entrant& e) { return e.newcomer; }));
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const Skill& before = entrants[i].skill;
    const double weight = Weight(entrants[i], bot_count, newcomer_count, info.n);
    // If the weight is 1, the formula below would only add rounding errors to the exact posterior.
    if (weight == 1) continue;
    after[i].mu = before.mu + weight * (after[i].mu - before.mu);
    after[i].variance = before.variance + weight * (after[i].variance - before.variance);
  }
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (!entrants[i].left) continue;
    after[i].mu = std::min(after[i].mu, entrants[i].skill.mu);
    after[i].variance = std::max(after[i].variance, entrants[i].skill.variance);
  }
  return after;
}

}  // namespace tarot::rating
