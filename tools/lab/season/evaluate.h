// Measures how well the ratings of a simulated season find the true order of its players.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "libs/rating/ladder_fit.h"

namespace tarot::lab {

// Evaluate() compares ratings with skills as soon as every player has played at least 80 scored
// deals, and again at 160 and at 480.
inline constexpr std::array<int, 3> kCheckpoints{80, 160, 480};

struct SeasonReport {
  // Spearman's rank correlation of ratings and true skills, at each number of scored deals in
  // kCheckpoints; unset where a player has played too few scored deals.
  std::array<std::optional<double>, kCheckpoints.size()> rank_correlation;
  // The root mean square of all surprises (rating::Surprises()); 1 if the model is right.
  double z_rms = 0;
  // The root mean square of (rating - true skill) / deviation after 40 matches of each player; 1 if
  // the deviations are right.
  double posterior_rms = 0;
};

// Rates `matches` one after the other. `skills` has the true skill of each player of the
// population. With `plain`, points count as they are, without luck and weights.
SeasonReport Evaluate(const rating::LadderNumbers& numbers,
                      const std::vector<rating::PlayedMatch>& matches,
                      const std::vector<double>& skills, bool plain);

}  // namespace tarot::lab
