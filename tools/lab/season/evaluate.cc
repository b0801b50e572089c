#include "tools/lab/season/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libs/rating/rating.h"

namespace tarot::lab {
namespace {

constexpr int kPosteriorMatches = 40;

// Returns the rank of each value, from 0.
std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

// Returns Spearman's rank correlation, by the formula for values without ties. The formula may be
// used, because two of these real numbers are hardly ever equal.
double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = Ranks(a);
  const std::vector<double> y = Ranks(b);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  const auto n = static_cast<double>(x.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

}  // namespace

SeasonReport Evaluate(const rating::LadderNumbers& numbers,
                      const std::vector<rating::PlayedMatch>& matches,
                      const std::vector<double>& skills, bool plain) {
  const rating::Model model(numbers.noise_variance, numbers.prior_variance);
  std::vector<rating::Skill> ratings(skills.size(), model.Prior());
  std::vector<int> played(skills.size(), 0);
  std::vector<int> deals(skills.size(), 0);
  SeasonReport report;
  double squares = 0;
  double surprises = 0;
  std::size_t checkpoint = 0;
  bool posterior_seen = false;
  for (const rating::PlayedMatch& match : matches) {
    const std::vector<double> results =
        plain ? rating::PointsOfMatch(match) : rating::ResultsOfMatch(numbers, match);
    std::vector<rating::Entrant> entrants;
    for (std::size_t seat = 0; seat < results.size(); ++seat) {
      const auto player = static_cast<std::size_t>(match.players[seat]);
      entrants.push_back({.skill = ratings[player],
                          .points_per_deal = results[seat],
                          .newcomer = played[player] < rating::kHistoryMatches});
    }
    for (const double z : rating::Surprises(model, entrants, match.scored)) {
      squares += z * z;
      ++surprises;
    }
    const std::vector<rating::Skill> after = rating::Rate(model, entrants, match.scored);
    for (std::size_t seat = 0; seat < after.size(); ++seat) {
      const auto player = static_cast<std::size_t>(match.players[seat]);
      ratings[player] = after[seat];
      ++played[player];
      deals[player] += match.scored;
    }
    const int fewest_deals = *std::min_element(deals.begin(), deals.end());
    if (checkpoint < kCheckpoints.size() && fewest_deals >= kCheckpoints[checkpoint]) {
      std::vector<double> means;
      for (const rating::Skill& skill : ratings) means.push_back(skill.mu);
      report.rank_correlation[checkpoint++] = RankCorrelation(means, skills);
    }
    if (!posterior_seen && *std::min_element(played.begin(), played.end()) >= kPosteriorMatches) {
      posterior_seen = true;
      double errors = 0;
      for (std::size_t i = 0; i < skills.size(); ++i) {
        const double error = ratings[i].mu - skills[i];
        errors += error * error / ratings[i].variance;
      }
      report.posterior_rms = std::sqrt(errors / static_cast<double>(skills.size()));
    }
  }
  report.z_rms = std::sqrt(squares / surprises);
  return report;
}

}  // namespace tarot::lab
