#include "services/matchmaking/app/standing.h"

#include <algorithm>
#include <cmath>

#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

absl::Duration PenaltyOf(double steps) {
  const absl::Duration penalty = kPenaltyFirst * std::pow(kPenaltyFactor, steps - 1);
  return absl::Ceil(std::min(penalty, kPenaltyMax), absl::Seconds(1));
}

}  // namespace

Standing AfterMatch(Standing standing, EndOfMatch end, absl::Time now) {
  switch (end) {
    case EndOfMatch::kFinished:
      ++standing.finished_count;
      if (++standing.finished_since < kMatchesToForgive) break;
      standing.finished_since = 0;
      standing.leave_steps = std::max(0.0, standing.leave_steps - 1);
      break;
    case EndOfMatch::kLeftCasual:
      break;
    case EndOfMatch::kLeftOthers:
    case EndOfMatch::kLeftWithAll:
      if (now - standing.leave_time > kLeaveForgottenAfter) standing.leave_steps = 0;
      standing.leave_steps += end == EndOfMatch::kLeftOthers ? 1 : 0.5;
      standing.leave_time = now;
      standing.finished_since = 0;
      standing.penalty_end = std::max(standing.penalty_end, now + PenaltyOf(standing.leave_steps));
      break;
  }
  return standing;
}

}  // namespace tarot::matchmaking_service
