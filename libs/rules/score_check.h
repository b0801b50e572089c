// Checks whether a real deal could give the numbers on a score sheet.
#pragma once

#include "absl/status/status.h"
#include "libs/rules/scoring.h"

namespace tarot::rules {

// Returns OK if the numbers fit a deal at a table of `players`. The fields of `input` must be in
// their ranges. The function accepts the numbers of every real deal. It also accepts two impossible
// cases, because the test vectors in tests/data have them:
// - The attack gets the Petit au bout but has no bout.
// - With four players, the attack shows a double handful and the defence a single handful.
// For any other numbers, it returns INVALID_ARGUMENT BAD_REQUEST, which names the wrong field:
// - `contract`: the rule set has no such bid.
// - `attack_handfuls`, `defence_handfuls`: the rule set has no handfuls; a camp shows more handfuls
//   than it has hands; the handfuls have more trumps than the pack; or the hand with the handful
//   must win more tricks than the points and the slam allow.
// - `attack_half_points`: the number is odd but must be even, or it is even but must be odd; or the
//   attack cannot have this number with its bouts.
// - `petit_au_bout`: the camp that gets the bonus has no trick, or the defence gets the bonus
//   without a bout.
// - `slam`: the slam is announced although the rule set has no announcement, or the slam does not
//   fit the points and the bouts. A sheet may leave out a slam that is worth nothing.
// - `honours`, only with Scoring::kTakerCountsHonours: fewer than the bouts, or more than the bouts
//   and the 16 court cards together. Such a sheet may have 0 half points in place of the real
//   number, because practice game 2 counts no points.
absl::Status CheckScoreInput(const RuleSet& rules, int players, const ScoreInput& input);

}  // namespace tarot::rules
