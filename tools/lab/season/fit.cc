#include "tools/lab/season/fit.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace tarot::lab {
namespace {

using rating::DealLuck;
using rating::LadderNumbers;

// Returns the slope of the line through the origin that predicts `y` from `x` best.
struct Slope {
  double xy = 0;
  double xx = 0;
  void Add(double x, double y) {
    xy += x * y;
    xx += x * x;
  }
  double value() const { return xx > 0 ? xy / xx : 0; }
};

// The mean of a player's numbers in some matches.
struct Mean {
  double sum = 0;
  double count = 0;
  void Add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return count > 0 ? sum / count : 0; }
};

// Fits the part of the luck that is taken out. The fit uses the deals of match number `first` and
// of every later match whose number differs from `first` by a multiple of `step`.
double FitLuckShare(LadderNumbers numbers, const std::vector<SeasonMatch>& matches,
                    std::size_t first, std::size_t step) {
  numbers.luck_share = 1;
  Slope slope;
  for (std::size_t i = first; i < matches.size(); i += step) {
    for (const SeasonDeal& deal : matches[i].deals) {
      const DealLuck luck = LuckIn(numbers, deal);
      for (std::size_t seat = 0; seat < luck.points.size(); ++seat) {
        slope.Add(luck.points[seat], deal.scores[seat]);
      }
    }
  }
  return slope.value();
}

// Fits the scale of the weights. With this scale, the line through the origin that fits the
// players' plain and weighted mean results best has slope 1.
double FitWeightScale(LadderNumbers numbers, const std::vector<SeasonMatch>& matches,
                      int population) {
  numbers.weight_scale = 1;
  std::vector<Mean> weighted(static_cast<std::size_t>(population));
  std::vector<Mean> plain(static_cast<std::size_t>(population));
  for (const SeasonMatch& match : matches) {
    for (const SeasonDeal& deal : match.deals) {
      const DealLuck luck = LuckIn(numbers, deal);
      const std::vector<double> results = rating::ResultsOf(luck, deal.scores);
      for (std::size_t seat = 0; seat < results.size(); ++seat) {
        const auto player = static_cast<std::size_t>(match.players[seat]);
        weighted[player].Add(results[seat]);
        plain[player].Add(results[seat] / luck.weight);
      }
    }
  }
  Slope slope;
  for (std::size_t i = 0; i < plain.size(); ++i) slope.Add(plain[i].value(), weighted[i].value());
  return 1 / slope.value();
}

// Fits the variances of skills and of results. The means of a player's even and odd matches differ
// by luck alone, so their covariance over the players is the variance of the skills.
void FitVariances(LadderNumbers& numbers, const std::vector<SeasonMatch>& matches, int population,
                  bool plain) {
  std::vector<std::array<Mean, 2>> halves(static_cast<std::size_t>(population));
  Mean squares;  // The mean square of the results, each multiplied by its number of deals.
  Mean scored;
  for (const SeasonMatch& match : matches) {
    const std::vector<double> results =
        plain ? PointsOfMatch(match) : ResultsOfMatch(numbers, match);
    for (std::size_t seat = 0; seat < results.size(); ++seat) {
      auto& player = halves[static_cast<std::size_t>(match.players[seat])];
      const bool odd = player[0].count > player[1].count;
      player[odd ? 1 : 0].Add(results[seat]);
      squares.Add(results[seat] * results[seat] * match.scored);
    }
    scored.Add(match.scored);
  }
  double covariance = 0;
  for (const auto& player : halves) {
    covariance += player[0].value() * player[1].value() / population;
  }
  const double n = numbers.player_count;
  numbers.prior_variance = covariance;
  // The expected square has two parts: the luck, and the skills of the player and of the others.
  const double skills = scored.value() * covariance * n / (n - 1);
  numbers.noise_variance = (squares.value() - skills) * n / (n - 1);
}

}  // namespace

DealLuck LuckIn(const LadderNumbers& numbers, const SeasonDeal& deal) {
  const auto n = static_cast<std::size_t>(numbers.player_count);
  return rating::LuckOf(numbers, deal.dealer, {deal.baseline.mean_scores.data(), n},
                        deal.baseline.deviation);
}

std::vector<double> ResultsOfMatch(const LadderNumbers& numbers, const SeasonMatch& match) {
  std::vector<double> sums(match.players.size(), 0);
  for (const SeasonDeal& deal : match.deals) {
    const std::vector<double> results = rating::ResultsOf(LuckIn(numbers, deal), deal.scores);
    for (std::size_t seat = 0; seat < results.size(); ++seat) {
      sums[seat] += results[seat] / match.scored;
    }
  }
  return sums;
}

std::vector<double> PointsOfMatch(const SeasonMatch& match) {
  std::vector<double> points(match.players.size(), 0);
  for (const SeasonDeal& deal : match.deals) {
    for (std::size_t seat = 0; seat < points.size(); ++seat) {
      points[seat] += static_cast<double>(deal.scores[seat]) / match.scored;
    }
  }
  return points;
}

double LuckRemoved(const LadderNumbers& numbers, const std::vector<SeasonMatch>& matches) {
  double before = 0;
  double after = 0;
  for (const SeasonMatch& match : matches) {
    for (const SeasonDeal& deal : match.deals) {
      const DealLuck luck = LuckIn(numbers, deal);
      for (std::size_t seat = 0; seat < luck.points.size(); ++seat) {
        const double rest = deal.scores[seat] - luck.points[seat];
        before += static_cast<double>(deal.scores[seat]) * deal.scores[seat];
        after += rest * rest;
      }
    }
  }
  return before > 0 ? 1 - after / before : 0;
}

absl::StatusOr<LadderFit> FitLadder(const std::vector<SeasonMatch>& matches, int player_count,
                                    int population, double bid_shift,
                                    const std::array<double, rating::kPlayersMax>& place_means,
                                    std::optional<double> luck_share) {
  LadderFit fit{.numbers = {.player_count = player_count,
                            .bid_shift = bid_shift,
                            .place_means = place_means}};
  LadderNumbers half = fit.numbers;
  half.luck_share = luck_share ? *luck_share : FitLuckShare(half, matches, 0, 2);
  std::vector<SeasonMatch> others;
  for (std::size_t i = 1; i < matches.size(); i += 2) others.push_back(matches[i]);
  fit.luck_removed = LuckRemoved(half, others);
  if (fit.luck_removed <= 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the baselines add %.1f%% to the variance of the results; do not use these numbers",
        -100 * fit.luck_removed));
  }
  fit.numbers.luck_share = luck_share ? *luck_share : FitLuckShare(fit.numbers, matches, 0, 1);
  fit.numbers.weight_scale = FitWeightScale(fit.numbers, matches, population);
  FitVariances(fit.numbers, matches, population, false);
  for (const SeasonMatch& match : matches)
    fit.deals += static_cast<std::int64_t>(match.deals.size());
  return fit;
}

LadderFit FitPlainPoints(const std::vector<SeasonMatch>& matches, int player_count,
                         int population) {
  LadderFit fit{.numbers = {.player_count = player_count}};
  FitVariances(fit.numbers, matches, population, true);
  return fit;
}

}  // namespace tarot::lab
