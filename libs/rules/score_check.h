// Finds out whether the numbers on a score sheet fit together, so that a deal could give them.
#pragma once

#include "absl/status/status.h"
#include "libs/rules/scoring.h"

namespace tarot::rules {

// Returns OK if the numbers fit a deal at a table of `players`. It accepts the numbers of every
// real deal. Because of the vectors in tests/data, it also accepts a Petit of a camp without a
// bout, and handfuls with more trumps than the pack. Otherwise returns INVALID_ARGUMENT
// BAD_REQUEST, which names the false field:
// - `contract`: the rule set has no such bid.
// - `attack_handfuls`, `defence_handfuls`: the rule set has no handfuls, or a camp shows more
//   handfuls than it has hands.
// - `attack_half_points`: the number is odd although it must be even, or even although it must be
//   odd; or the attack cannot have this number with its bouts.
// - `petit_au_bout`: the camp that gets the bonus has no trick.
// - `slam`: the slam is announced although the rule set has no announcement, or the slam does not
//   fit the points and the bouts. A sheet may leave out a slam that is worth nothing.
// The fields of `input` must be in their ranges. With Scoring::kTakerCountsHonours this function
// does not check the half points, because that game counts none.
absl::Status CheckScoreInput(const RuleSet& rules, int players, const ScoreInput& input);

}  // namespace tarot::rules
