// The rating model: linear Gaussian on points, exact for one match (docs/ladder.md).
// Pure: no clock, no I/O, no randomness; the same input gives the same bits.
//
// Skills are in points a deal. A match of n players and K deals shows y_i, the mean points a deal
// of player i (they sum to zero): E[y_i] = theta_i - mean of the others' theta, with noise variance
// sigma^2 / K.
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tarot::rating {

inline constexpr int kPlayersMin = 3;
inline constexpr int kPlayersMax = 5;

// What is believed of one player's skill on one ladder.
struct Skill {
  double mu = 0;
  double variance = 0;

  friend bool operator==(const Skill&, const Skill&) = default;
};

// The numbers of one ladder. Everything follows from how much luck one deal holds: the prior
// variance is 16 where sigma^2 is 2925 and in that proportion elsewhere, so that a ladder's pace
// does not depend on what its points are worth.
class Model {
 public:
  // `noise_variance` is sigma^2: the variance of one player's points in a deal, times n / (n - 1).
  explicit Model(double noise_variance);

  // The ladder for tables of `player_count` (3 to 5), for points as the FFT counts them.
  static Model ForTable(int player_count);

  double noise_variance() const { return noise_variance_; }
  Skill Prior() const { return {.mu = 0, .variance = prior_variance_}; }

  // Absence: the variance grows with time, at most to the prior's. A negative `absence` is none.
  Skill Aged(Skill skill, absl::Duration absence) const;
  // What one second of it adds, below the prior's.
  double VarianceGrowthPerSecond() const;

  // As shown: 1500 + c * mu and c * sqrt(variance), with c such that the prior shows 1500 +- 300.
  double ShownRating(Skill skill) const;
  double ShownDeviation(Skill skill) const;
  double VarianceOfDeviation(double shown_deviation) const;

 private:
  double noise_variance_;
  double prior_variance_;
  double shown_scale_;  // c
};

struct Entrant {
  Skill skill;  // Aged to the time of the match.
  double points_per_deal = 0;
  bool bot = false;
};

// How surprising each result was: (y - expected) / its standard deviation, before the match. Over
// many matches their root mean square is 1 when the model tells the truth.
std::vector<double> Surprises(const Model& model, absl::Span<const Entrant> entrants,
                              int deal_count);

// The skills after one match, in the order of `entrants` (3 to 5, points that sum to zero,
// deal_count >= 1). Three steps:
// 1. A monstrous match counts less: with z the largest surprise, sigma^2 is multiplied by
//    max(1, z / 4). The pull of a result then never exceeds that of one at z = 4 by much, and
//    ordinary matches are untouched.
// 2. The exact posterior of the linear Gaussian model, of which the diagonal is kept.
// 3. Bots: a person's step, in mu and in variance, is multiplied by 1 - (bots among the opponents)
// /
//    (2 (n - 1)): half against bots alone, whole against people alone. A bot's step is always
//    whole.
std::vector<Skill> Rate(const Model& model, absl::Span<const Entrant> entrants, int deal_count);

}  // namespace tarot::rating
