// Converts finished deals from proto to domain: the record of a deal for libs/notation, which can
// replay and prove it, and the requests to score a deal.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "libs/rules/score_play.h"
#include "libs/rules/scoring.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Returns the record, rotated so that seat A speaks first, with all its claims. Names and other
// text stay as they are, so code that shows them must escape them. Returns INVALID_ARGUMENT
// BAD_REQUEST if fields contradict each other or are out of range, for example a seed of the wrong
// length.
absl::StatusOr<notation::Document> DecodeRecord(const v1::DealRecord& record,
                                                absl::string_view field);

// Returns BAD_REQUEST for a value out of range, and for a rule set without a taker.
absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules);

// Returns BAD_REQUEST for cards out of range, and if there is not exactly one hand per seat. Seats
// are not checked here, because rules::ScorePlay checks them. The message cannot express a deal
// without a taker, so where every player plays alone the function ignores the taker.
absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules);

}  // namespace tarot::wire
