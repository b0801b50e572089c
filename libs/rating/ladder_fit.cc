#include "libs/rating/ladder_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace tarot::rating {
namespace {

// The mean of all numbers that Add() got.
struct Mean {
  double sum = 0;
  double count = 0;
  void Add(double x) {
    sum += x;
    ++count;
  }
  double value() const { return sum / count; }
};

// A player's matches are divided into two halves: the matches belong to the first and to the second
// half by turns. This struct has the mean of the player's results in each half. Only luck makes the
// two means differ.
using Halves = std::array<Mean, 2>;

std::size_t CountPlayers(const std::vector<PlayedMatch>& matches) {
  int last = -1;
  for (const PlayedMatch& match : matches) {
    last = std::max(last, *std::max_element(match.players.begin(), match.players.end()));
  }
  return static_cast<std::size_t>(last + 1);
}

// Returns the mean results of each player in both halves of the player's matches. `results_of`
// returns the result of each seat of a match.
template <typename ResultsOf>
std::vector<Halves> HalvesOf(const std::vector<PlayedMatch>& matches, ResultsOf results_of) {
  std::vector<Halves> players(CountPlayers(matches));
  for (const PlayedMatch& match : matches) {
    const std::vector<double> results = results_of(match);
    for (std::size_t seat = 0; seat < results.size(); ++seat) {
      Halves& player = players[static_cast<std::size_t>(match.players[seat])];
      player[player[0].count > player[1].count ? 1 : 0].Add(results[seat]);
    }
  }
  return players;
}

// Measures how much skill two kinds of results have in common. a[i][h] and b[i][h] are the mean
// results of player i in half h, of the first kind and of the second kind. The function returns the
// mean of (a[i][0] * b[i][1] + a[i][1] * b[i][0]) / 2 over the players. Luck in one half says
// nothing about the other half, so only skill is left. The weight of a player is the number of the
// player's matches in the second half.
double SkillCovariance(const std::vector<Halves>& a, const std::vector<Halves>& b) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double matches = a[i][1].count;
    if (matches == 0) continue;
    sum += matches * (a[i][0].value() * b[i][1].value() + a[i][1].value() * b[i][0].value()) / 2;
    count += matches;
  }
  return count > 0 ? sum / count : 0;
}

// Returns the mean of result * result * match.scored, over all seats of all matches.
template <typename ResultsOf>
double MeanSquare(const std::vector<PlayedMatch>& matches, ResultsOf results_of) {
  Mean squares;
  for (const PlayedMatch& match : matches) {
    for (const double result : results_of(match)) squares.Add(result * result * match.scored);
  }
  return squares.value();
}

absl::Status TooFewMatches() {
  return absl::FailedPreconditionError(
      "the matches are too few: they do not show that some players are better than others");
}

// Fits the scale of the weights. With the right scale, one more point of skill gives one more point
// of weighted results on average. Luck must not count in this fit, because deals with much luck
// have small weights. SkillCovariance() leaves luck out.
absl::Status FitWeightScale(const std::vector<PlayedMatch>& matches, LadderNumbers& numbers) {
  numbers.weight_scale = 1;
  const auto weighted =
      HalvesOf(matches, [&](const PlayedMatch& match) { return ResultsOfMatch(numbers, match); });
  const auto plain = HalvesOf(matches, [&](const PlayedMatch& match) {
    LadderNumbers without = numbers;
    std::vector<double> sums(match.players.size(), 0);
    for (const PlayedDeal& deal : match.deals) {
      const DealLuck luck = LuckIn(without, deal);
      for (std::size_t seat = 0; seat < sums.size(); ++seat) {
        sums[seat] += (deal.scores[seat] - luck.points[seat]) / match.scored;
      }
    }
    return sums;
  });
  const double common = SkillCovariance(plain, weighted);
  const double skills = SkillCovariance(plain, plain);
  if (!(common > 0 && skills > 0)) return TooFewMatches();
  numbers.weight_scale = skills / common;
  return absl::OkStatus();
}

// Fits `prior_variance` and `noise_variance`.
template <typename ResultsOf>
void FitVariances(const std::vector<PlayedMatch>& matches, LadderNumbers& numbers,
                  ResultsOf results_of) {
  const auto halves = HalvesOf(matches, results_of);
  numbers.prior_variance = SkillCovariance(halves, halves);
  Mean scored;
  for (const PlayedMatch& match : matches) scored.Add(match.scored);
  const double n = numbers.player_count;
  // The expected value of MeanSquare() has two parts. One part comes from the noise of the deals.
  // The other part comes from the skills of the player and of the opponents.
  const double skills = scored.value() * numbers.prior_variance * n / (n - 1);
  numbers.noise_variance = (MeanSquare(matches, results_of) - skills) * n / (n - 1);
}

absl::Status FitNumbers(const std::vector<PlayedMatch>& matches, std::optional<double> luck_share,
                        LadderNumbers& numbers) {
  numbers.luck_share = luck_share ? *luck_share : FitLuckShare(numbers, matches);
  return FitWeightScale(matches, numbers);
}

}  // namespace

double FitLuckShare(LadderNumbers numbers, const std::vector<PlayedMatch>& matches) {
  numbers.luck_share = 1;
  double xy = 0;
  double xx = 0;
  for (const PlayedMatch& match : matches) {
    for (const PlayedDeal& deal : match.deals) {
      const DealLuck luck = LuckIn(numbers, deal);
      for (std::size_t seat = 0; seat < luck.points.size(); ++seat) {
        xy += luck.points[seat] * deal.scores[seat];
        xx += luck.points[seat] * luck.points[seat];
      }
    }
  }
  return xx > 0 ? xy / xx : 0;
}

DealLuck LuckIn(const LadderNumbers& numbers, const PlayedDeal& deal) {
  return LuckOf(numbers, deal.dealer, deal.mean_scores, deal.deviation);
}

std::vector<double> ResultsOfMatch(const LadderNumbers& numbers, const PlayedMatch& match) {
  std::vector<double> sums(match.players.size(), 0);
  for (const PlayedDeal& deal : match.deals) {
    const std::vector<double> results = ResultsOf(LuckIn(numbers, deal), deal.scores);
    for (std::size_t seat = 0; seat < results.size(); ++seat) {
      sums[seat] += results[seat] / match.scored;
    }
  }
  return sums;
}

std::vector<double> PointsOfMatch(const PlayedMatch& match) {
  std::vector<double> points(match.players.size(), 0);
  for (const PlayedDeal& deal : match.deals) {
    for (std::size_t seat = 0; seat < points.size(); ++seat) {
      points[seat] += static_cast<double>(deal.scores[seat]) / match.scored;
    }
  }
  return points;
}

double LuckRemoved(const LadderNumbers& numbers, const std::vector<PlayedMatch>& matches) {
  double before = 0;
  double after = 0;
  for (const PlayedMatch& match : matches) {
    for (const PlayedDeal& deal : match.deals) {
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

absl::StatusOr<LadderFit> FitLadder(const std::vector<PlayedMatch>& matches, LadderNumbers numbers,
                                    std::optional<double> luck_share) {
  if (matches.size() < 4) return TooFewMatches();
  std::array<std::vector<PlayedMatch>, 2> halves;
  for (std::size_t i = 0; i < matches.size(); ++i) halves[i % 2].push_back(matches[i]);
  const auto& [seen, unseen] = halves;

  LadderFit fit{.numbers = numbers};
  LadderNumbers half = numbers;
  if (absl::Status status = FitNumbers(seen, luck_share, half); !status.ok()) return status;
  fit.luck_removed = LuckRemoved(half, unseen);
  if (fit.luck_removed <= 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the baselines add %.1f%% to the variance of the points; do not use these numbers",
        -100 * fit.luck_removed));
  }
  fit.variance_ratio =
      MeanSquare(unseen, [&](const PlayedMatch& match) { return ResultsOfMatch(half, match); }) /
      MeanSquare(unseen, PointsOfMatch);
  if (fit.variance_ratio >= 1) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the weighted results vary %.1f%% more than plain points; do not use these numbers",
        100 * (fit.variance_ratio - 1)));
  }
  if (absl::Status status = FitNumbers(matches, luck_share, fit.numbers); !status.ok()) {
    return status;
  }
  FitVariances(matches, fit.numbers,
               [&](const PlayedMatch& match) { return ResultsOfMatch(fit.numbers, match); });
  if (!(fit.numbers.prior_variance > 0 && fit.numbers.noise_variance > 0)) return TooFewMatches();
  for (const PlayedMatch& match : matches) {
    fit.deals += static_cast<std::int64_t>(match.deals.size());
  }
  return fit;
}

LadderNumbers FitPlainPoints(const std::vector<PlayedMatch>& matches, int player_count) {
  LadderNumbers numbers{.player_count = player_count};
  FitVariances(matches, numbers, PointsOfMatch);
  return numbers;
}

}  // namespace tarot::rating
