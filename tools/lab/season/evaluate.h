// Measures how well the ratings of a simulated season agree with the true skills of its players.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "libs/rating/ladder_fit.h"

namespace tarot::lab {

// Numbers of scored deals. Evaluate() compares ratings with skills three times: each time when
// every player has played one of these numbers of deals.
inline constexpr std::array<int, 3> kCheckpoints{80, 160, 480};

struct SeasonReport {
  // rank_correlation[i] is Spearman's rank correlation of ratings and true skills at
  // kCheckpoints[i]. It is unset if some player has played fewer scored deals.
  std::array<std::optional<double>, kCheckpoints.size()> rank_correlation;
  // The root mean square of all surprises (rating::Surprises()); 1 if the model is right.
  double z_rms = 0;
  // The root mean square of (rating - true skill) / deviation when every player has played 40
  // matches. It is 1 if the deviations are right, and 0 if some player has played fewer matches.
  double posterior_rms = 0;
};

// Rates `matches` one after the other. skills[i] is the true skill of player i. With `plain`,
// matches are rated by plain points: no luck is taken out, and deals have no weights.
SeasonReport Evaluate(const rating::LadderNumbers& numbers,
                      const std::vector<rating::PlayedMatch>& matches,
                      const std::vector<double>& skills, bool plain);

}  // namespace tarot::lab
