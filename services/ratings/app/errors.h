// All errors of the ratings service. docs/errors.md lists their reasons.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rating/rating.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service::error {

// Errors about matches. `field` is the path of the field in the request.
inline absl::Status FieldMissing(const std::string& field) {
  return BadRequest(field, "must not be empty");
}
inline absl::Status PlayerTwice(const std::string& field) {
  return BadRequest(field, "is in the match twice");
}
inline absl::Status DisplayNameInvalid(const std::string& field) {
  return BadRequest(
      field, absl::StrCat("must have at most ", kDisplayNameBytesMax, " bytes, none of them zero"));
}
inline absl::Status TotalsDoNotSumToZero() {
  return BadRequest("players", "the totals must sum to zero");
}
inline absl::Status DealCountOutOfRange() {
  return BadRequest("deal_count", absl::StrCat("must be from 1 to ", kDealCountMax));
}
inline absl::Status MatchSizeOutOfRange() {
  return BadRequest("players", absl::StrCat("must be ", rating::kPlayersMin, " to ",
                                            rating::kPlayersMax, " players"));
}
inline absl::Status MatchTimeOutOfRange() {
  return BadRequest("match_time", "must be a time in the past");
}
inline absl::Status TooManyConflicts() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Other matches of the same players were stored first. Please try again.");
}

// Errors about the deals of a match.
inline absl::Status DealsOfCasualMatch() {
  return BadRequest("deals", "must be empty unless the match is rated");
}
inline absl::Status TooManyDeals() {
  return BadRequest("deals", absl::StrCat("must be at most ", kDealtDealsMax, " deals"));
}
inline absl::Status RuleValuesUnknown() {
  return BadRequest("rule_values", "must be every parameter of a rule set");
}
inline absl::Status RuleValuesOfOtherTable() {
  return BadRequest("rule_values", "do not allow this number of players");
}
inline absl::Status DealOutOfOrder(const std::string& field) {
  return BadRequest(field,
                    "must be 1 for the first deal, and the next number for each further one");
}
inline absl::Status SeatUnknown(const std::string& field) {
  return BadRequest(field, "must be indexes of players, each once, in rising order");
}
inline absl::Status PackNotWhole(const std::string& field) {
  return BadRequest(field, "must have each of the 78 cards once");
}
inline absl::Status OutcomeMissing(const std::string& field) {
  return BadRequest(field, "must be SCORED, NOT_PLAYED or VOIDED");
}
inline absl::Status ScoresMissing(const std::string& field) {
  return BadRequest(field, "must have one score for each player");
}
inline absl::Status ScoreWithoutPlay(const std::string& field) {
  return BadRequest(field, "must be zero unless the deal is scored");
}
inline absl::Status ScoresDoNotSumToZero(const std::string& field) {
  return BadRequest(field, "must sum to zero");
}
inline absl::Status DealsDoNotMatchCount() {
  return BadRequest("deals", "must have deal_count scored deals");
}
inline absl::Status DealsDoNotAddUp() {
  return BadRequest("deals", "the scores of each seat must sum to the player's total");
}

// Errors about seasons.
inline absl::Status PlaceMeansInvalid(const std::string& field) {
  return BadRequest(field, "must have one number for each player, which sum to zero");
}
inline absl::Status FileUnreadable(const std::string& path) {
  return BadRequest(path, "cannot be read");
}
inline absl::Status LadderTwice(const std::string& field) {
  return BadRequest(field, "must be only once in the request");
}
inline absl::Status SeasonStartedMeanwhile() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Another call began a season meanwhile. Please try again.");
}
inline absl::Status SeasonLost() {
  return Error(absl::StatusCode::kInternal, "BUG", "The ledger names a season that is not stored.");
}

// Errors about ladders and pages.
inline absl::Status LadderNotFound() { return BadRequest("player_count", "must be 3, 4 or 5"); }
inline absl::Status TooManyPlayers() {
  return BadRequest("players", absl::StrCat("must be at most ", kBatchSizeMax, " players"));
}
inline absl::Status PageSizeNegative() { return BadRequest("page_size", "must not be negative"); }
inline absl::Status PageTokenInvalid() {
  return BadRequest("page_token", "does not belong to this list");
}
inline absl::Status PlayerNotRanked() {
  return Error(absl::StatusCode::kNotFound, "NOT_RANKED",
               "The player has no place on this leaderboard.");
}

// Errors about revoked tokens.
inline absl::Status SubjectInvalid() {
  return BadRequest("subject", "tokens/{uuid} or players/{uuid}");
}
inline absl::Status SignInTimeMisplaced() {
  return BadRequest("latest_sign_in_time", "required for a player, unset for a token");
}
inline absl::Status RevocationTooLong() {
  return BadRequest("expire_time", "must be at most 367 days in the future");
}
inline absl::Status SequenceNegative() {
  return BadRequest("after_sequence", "must not be negative");
}
inline absl::Status TooManyRevocations() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Too many tokens are revoked. Please try again later.");
}

}  // namespace tarot::ratings_service::error
