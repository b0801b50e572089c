// What a request asks to be scored: proto → domain.
#pragma once

#include "absl/status/statusor.h"
#include "libs/rules/score_play.h"
#include "libs/rules/scoring.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// BAD_REQUEST for a value out of its range, and for a rule set without a taker.
absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules);

// BAD_REQUEST for cards that are none and for hands that are not one a seat. Seats come unchecked:
// rules::ScorePlay checks them all. A message cannot say that nobody takes, so its taker is not
// read where everybody plays alone.
absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules);

}  // namespace tarot::wire
