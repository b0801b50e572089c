// The baseline of a deal: the score that each seat could expect from the cards alone
// (docs/luck.md).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

inline constexpr int kBaselineReplays = 64;

// The version of the bots that replay deals. The ratings service stores it with each season. A
// change of replay.cc, or of a function of heuristic.h that it calls, changes the baselines. Such a
// change needs a new version, new golden values and a new fit (`tarot-lab season`).
inline constexpr int kBaselinePolicy = 1;

struct Baseline {
  // The mean score of each seat over the replays. The means sum to zero.
  std::array<double, rules::kPlayersMax> mean_scores{};
  // The standard deviation of the scores over the replays. Each seat that holds cards has its own
  // standard deviation; this is the root mean square of these.
  double deviation = 0;
};

// Replays `dealt` with the same bots at all seats. `bid_shift` is the mean that these bots add to
// the value of a hand before they bid. The result depends on the rule set, the cards, the dealer
// and `bid_shift` alone. `dealt` must be a deal in the state in which StartDeal() returned it.
Baseline ComputeBaseline(const rules::Deal& dealt, double bid_shift);

}  // namespace tarot::ai
