// Converts a scoring request from proto to domain.
#pragma once

#include "absl/status/statusor.h"
#include "libs/rules/score_play.h"
#include "libs/rules/scoring.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Returns BAD_REQUEST for a value out of range, and for a rule set without a taker.
absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules);

// Returns BAD_REQUEST for cards out of range, and if there is not one hand per seat. Seats are not
// checked here, because rules::ScorePlay checks them. The message cannot express a deal without a
// taker, so where every player plays alone the function ignores the taker.
absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules);

}  // namespace tarot::wire
