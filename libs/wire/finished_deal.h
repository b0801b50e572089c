// Decodes finished deals from two kinds of messages. A record becomes a value of libs/notation,
// which can replay and check it. A request to score a deal becomes a value of libs/rules.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "libs/rules/deck.h"
#include "libs/rules/score_play.h"
#include "libs/rules/scoring.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Returns the record. The result in the message goes into the document's `claims`, so that a check
// can compare the result with the replay. Seats are renumbered so that seat A speaks first. Names
// and other texts are not changed, so code that shows these texts must escape them. Returns
// INVALID_ARGUMENT BAD_REQUEST if fields contradict each other or are out of range, for example if
// a seed has the wrong length. Returns NOT_FOUND RULE_SET_NOT_FOUND for an unknown rule set.
absl::StatusOr<notation::Document> DecodeRecord(const v1::DealRecord& record,
                                                absl::string_view field);

// Decodes the piles of a gathered pack. A deal with procedure 3 and a gathered pack must have
// piles, and the piles must hold the complete pack. All other deals must have no piles. If the
// piles break this rule, returns BAD_REQUEST about `field`.
absl::StatusOr<rules::PileSizes> DecodePiles(const v1::DealRecord& record, absl::string_view field);

void EncodePiles(const rules::PileSizes& piles, v1::DealRecord* out);

// Decodes a request to score a deal from its numbers. Returns BAD_REQUEST for a value out of range,
// for numbers that no deal can give (rules::CheckScoreInput()), and for a rule set without a taker.
// The rule set must allow the number of players.
absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules);

// Decodes a request to score a deal from its tricks. Returns BAD_REQUEST for a card or contract out
// of range, for a card that is twice in a set, and if there is not exactly one hand for each seat.
// The function does not check seat numbers, because rules::ScorePlay() checks them. The message
// always has a taker; with Teams::kEveryoneAlone this function ignores the taker.
absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules);

}  // namespace tarot::wire
