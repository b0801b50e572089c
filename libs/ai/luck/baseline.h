// The baseline of a deal: the score that each seat could expect from the cards alone
// (docs/luck.md).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::ai {

inline constexpr int kBaselineReplays = 64;

// The version of the bots that replay deals. The ratings service stores the version with each
// season. The baselines change if replay.cc changes, or if a function of heuristic.h changes that
// replay.cc calls. After such a change, raise this version, make new golden values, and fit the
// ladders again (`tarot-lab season`).
inline constexpr int kBaselinePolicy = 1;

struct Baseline {
  // The mean score of each seat over the replays. The means sum to zero.
  std::array<double, rules::kPlayersMax> mean_scores{};
  // A measure of how much the scores differ between replays. Each seat that holds cards has its own
  // standard deviation of scores; this is the root mean square of these standard deviations.
  double deviation = 0;
};

// Replays `dealt` with the same bots at all seats. Before these bots bid, they add a random number
// with the mean `bid_shift` to the value of their hand. The result depends on the rule set, the
// cards, the dealer and `bid_shift` alone. `dealt` must be a deal as StartDeal() returned it,
// without any action.
Baseline ComputeBaseline(const rules::Deal& dealt, double bid_shift);

}  // namespace tarot::ai
