// The rating model (docs/ladder.md). It is a linear Gaussian model of the points in a match. The
// code is pure: no clock, no I/O, no randomness. The same input gives the same bits.
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tarot::rating {

inline constexpr int kPlayersMin = 3;
inline constexpr int kPlayersMax = 5;

// The estimate of one player's skill on one ladder. The estimate is a normal distribution with mean
// `mu`, in points per deal, and with this variance.
struct Skill {
  double mu = 0;
  double variance = 0;

  friend bool operator==(const Skill&, const Skill&) = default;
};

// The parameters of one ladder. By default, all parameters follow from sigma^2, the variance that
// the luck in one deal causes. The prior variance of skills is then sigma^2 * 16 / 2925. With this
// rule, the ratings of all ladders change equally fast, although the points of some ladders vary
// more.
class Model {
 public:
  // `noise_variance` is sigma^2: the variance of one player's points in a deal, multiplied by n /
  // (n - 1) for n players.
  explicit Model(double noise_variance);
  // Makes a model from two variances that were fitted separately (LadderNumbers in luck.h).
  Model(double noise_variance, double prior_variance);

  // Returns the model for tables of `player_count` (3 to 5) players, with points as the
  // federation's rules (rule set `fft`) count them.
  static Model ForTable(int player_count);

  double noise_variance() const { return noise_variance_; }
  Skill Prior() const { return {.mu = 0, .variance = prior_variance_}; }

  // Returns the skill after an absence in which `seasons` new seasons began. The variance grows
  // with the time and with each season, but not above the variance of the prior. A negative
  // `absence` counts as zero.
  Skill Aged(Skill skill, absl::Duration absence, int seasons = 0) const;
  // Returns how much the variance grows in one second of absence. It stops growing when it has
  // reached the variance of the prior.
  double VarianceGrowthPerSecond() const;
  // Returns how much the variance grows when a new season begins: a tenth of the variance of the
  // prior.
  double VarianceGrowthPerSeason() const;

  // These functions return the displayed rating, 1500 + c * mu, and the displayed deviation, c *
  // sqrt(variance). The prior is displayed as 1500 +- 300, which defines c. VarianceOfDeviation()
  // returns the variance for a displayed deviation.
  double ShownRating(Skill skill) const;
  double ShownDeviation(Skill skill) const;
  double VarianceOfDeviation(double shown_deviation) const;

 private:
  double noise_variance_;
  double prior_variance_;
  double shown_scale_;  // The factor c in the formula of ShownRating.
};

// A player with fewer rated matches on a ladder is a newcomer there. A newcomer gets a place on the
// leaderboard after about the same number of matches.
inline constexpr int kHistoryMatches = 10;

// The tiers of a ladder, from the lowest to the highest (docs/ladder.md).
enum class Tier { kValet, kCavalier, kDame, kRoi, kVingtEtUn };

// The players with the best kVingtEtUnPlaces places have the highest tier.
inline constexpr int kVingtEtUnPlaces = 21;

// Returns the tier for this displayed rating and deviation. Never returns kVingtEtUn, because that
// tier depends on the player's place.
Tier TierOf(double shown_rating, double shown_deviation);

struct Entrant {
  Skill skill;  // The skill before the match. The caller has applied Aged().
  double points_per_deal = 0;
  bool bot = false;
  bool left = false;  // True if a bot acted for this person in at least half of the deals.
  // True for a person with fewer than kHistoryMatches rated matches before this match.
  bool newcomer = false;
};

// Returns one number per entrant, which says how surprising the entrant's result is. The number is
// the result minus the expected result, divided by the standard deviation that the model expects.
// If the model is right, the root mean square of these numbers over many matches is 1.
std::vector<double> Surprises(const Model& model, absl::Span<const Entrant> entrants,
                              int deal_count);

// Returns the skills after one match, in the order of `entrants`. There must be 3 to 5 entrants,
// their points must sum to zero, and `deal_count` must be at least 1. The function has four steps:
// 1. It reduces the effect of an extreme match. Let z be the largest surprise. The function
//    multiplies sigma^2 by max(1, z / 4). So a match with a larger z does not change skills much
//    more than a match with z = 4.
// 2. It computes the exact posterior of the linear Gaussian model. From the covariance, it keeps
//    only the diagonal.
// 3. It reduces the change of a person who met bots or newcomers. If b of k opponents are bots, and
//    c of them are newcomers, the changes of mu and of the variance are multiplied by 1 - (b / 2 +
//    3 c / 4) / k. For a newcomer, c counts as 0, so that newcomers soon have a history. Without
//    this rule, a person could win points from a row of new accounts that lose on purpose.
// 4. It limits the change of an entrant who left the match: mu of this entrant may only fall, and
//    the variance may only rise. So a bot that plays for a person never raises the person's rating.
//    The ratings of the other entrants change as always.
std::vector<Skill> Rate(const Model& model, absl::Span<const Entrant> entrants, int deal_count);

}  // namespace tarot::rating
