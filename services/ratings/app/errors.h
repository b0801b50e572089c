// Defines all errors of the ratings service. docs/errors.md lists their reasons.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/error.h"
#include "libs/base/gateway_limits.h"
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

// MatchRecorder tries again after this error. Callers do not see it.
inline absl::Status StoredFirst() {
  return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
               "Another match of a player was stored first.");
}

inline absl::Status TooManyMatches() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Too many matches wait to be stored. Please try again.");
}

// Errors about the deals of a match.
inline absl::Status DealsOfCasualMatch() {
  return BadRequest("deals", "must be empty unless the match is rated");
}
inline absl::Status TooManyDeals() {
  return BadRequest("deals", absl::StrCat("must be at most ", kDealtDealsMax, " deals"));
}
inline absl::Status RuleValuesUnknown() {
  return BadRequest("rule_values", "must contain every parameter of a rule set");
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
  return BadRequest(field, "must appear only once in the request");
}
inline absl::Status SeasonStartedMeanwhile() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Another call began a season meanwhile. Please try again.");
}
inline absl::Status SeasonLost() {
  return Error(absl::StatusCode::kInternal, "BUG", "The ledger names a season that is not stored.");
}

// Errors about voids and recomputations.
inline absl::Status TextInvalid(const std::string& field, std::size_t bytes_max) {
  return BadRequest(field,
                    absl::StrCat("must have at most ", bytes_max, " bytes, none of them zero"));
}
inline absl::Status SinceOutOfRange() {
  return BadRequest("since_time", "must be a time in the past");
}
inline absl::Status MatchUnknown() {
  return Error(absl::StatusCode::kNotFound, "MATCH_NOT_FOUND", "There is no such match.");
}
inline absl::Status NoMatchSince() {
  return Error(absl::StatusCode::kNotFound, "MATCH_NOT_FOUND",
               "The player has no rated match since this time.");
}
inline absl::Status PlayerUnknown() {
  return Error(absl::StatusCode::kNotFound, "PLAYER_NOT_FOUND",
               "This player has finished no match.");
}
inline absl::Status MatchNotRated() {
  return Error(absl::StatusCode::kFailedPrecondition, "MATCH_NOT_RATED",
               "The match is casual, so it changes no rating.");
}
inline absl::Status AlreadyVoided() {
  return Error(absl::StatusCode::kAlreadyExists, "ALREADY_VOIDED",
               "All these matches are void already.");
}
inline absl::Status RecomputationRuns() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Another recomputation runs. Please try again when it has ended.");
}
inline absl::Status RecordingNotBlocked() {
  return Error(
      absl::StatusCode::kUnavailable, "OVERLOADED",
      "Statements that use the ratings do not end. Nothing has changed. Please try again.");
}

// Errors about ladders and pages.
inline absl::Status LadderNotFound() { return BadRequest("player_count", "must be 3, 4 or 5"); }
inline absl::Status TooManyPlayers() {
  return BadRequest("players", absl::StrCat("must be at most ", kBatchSizeMax, " players"));
}
inline absl::Status TooManyListedPlayers() {
  return BadRequest("players", absl::StrCat("must be at most ", kListedPlayersMax, " players"));
}
inline absl::Status AroundWithPlayers() {
  return BadRequest("around", "must be empty if `players` is set");
}
inline absl::Status CountryUnknown() {
  return BadRequest("country", "must be a code of ISO 3166-1 in upper case, for example FR");
}
inline absl::Status CountryWithPlayers() {
  return BadRequest("country", "must be empty if `players` is set");
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

// Errors about bans.
inline absl::Status BanTooLong() {
  return BadRequest("end_time", "must be at most 10 years in the future");
}
inline absl::Status BanMessageInvalid() {
  return BadRequest("message", absl::StrCat("must have at most ", kBanMessageBytesMax,
                                            " bytes, none of them a control character"));
}

// Errors about limits of gateways. `field` is the name of the limit.
inline absl::Status LimitUnknown(absl::string_view field) {
  return BadRequest(field, "is no limit of the gateways");
}
inline absl::Status LimitOutOfRange(const GatewayLimit& limit) {
  return BadRequest(limit.name,
                    absl::StrFormat("must be %sfrom %.9g to %.9g",
                                    limit.whole ? "a whole number " : "", limit.min, limit.max));
}
inline absl::Status LimitTwice(absl::string_view field) {
  return BadRequest(field, "must appear only once in the request");
}

// Errors about accounts. They contain no name, passphrase or code.
inline absl::Status AccountNameTaken() {
  return Error(absl::StatusCode::kAlreadyExists, "NAME_TAKEN",
               "Another account has this name, or one that looks like it.");
}
inline absl::Status AccountExists() {
  return Error(absl::StatusCode::kAlreadyExists, "ACCOUNT_EXISTS",
               "You have an account with another name or another passphrase.");
}
inline absl::Status BadCredentials() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_CREDENTIALS",
               "The name, or the passphrase or recovery code, is wrong.");
}
inline absl::Status CodeReplacedMeanwhile() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED",
               "Another call replaced the recovery code meanwhile. Please try again.");
}

}  // namespace tarot::ratings_service::error
