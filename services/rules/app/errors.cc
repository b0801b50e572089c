#include "services/rules/app/errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::rules_service {

using absl::StatusCode;

absl::Status TableNotFound() {
  return Error(StatusCode::kNotFound, "TABLE_NOT_FOUND", "There is no such table.");
}

absl::Status TableExists() {
  return Error(StatusCode::kAlreadyExists, "TABLE_EXISTS",
               "Another request made a table of that name.");
}

absl::Status TablesFull() {
  return Error(StatusCode::kResourceExhausted, "TABLES_FULL",
               "This server has no room for more tables.");
}

absl::Status TableBusy() {
  return Error(StatusCode::kResourceExhausted, "TABLE_BUSY",
               "Too many actions wait at this table.");
}

absl::Status TableMoved() {
  return Error(StatusCode::kUnavailable, "TABLE_MOVED",
               "Another server hosts the table now: connect again.");
}

absl::Status TableSetBack() {
  return Error(StatusCode::kDataLoss, "TABLE_SET_BACK",
               "The database has lost the last moves of this table: read it again.");
}

absl::Status RevisionMismatch(int newest) {
  return Error(StatusCode::kAborted, "REVISION_MISMATCH", "The table has changed: read it again.",
               {{"revision", absl::StrCat(newest)}});
}

absl::Status HostAway() {
  return Error(absl::StatusCode::kUnavailable, "HOST_AWAY",
               "The server that hosts the table does not answer; try again.");
}

absl::Status WrongCell(int cell) {
  return Error(StatusCode::kFailedPrecondition, "WRONG_CELL",
               "This server belongs to another cell.", {{"cell", absl::StrCat(cell)}});
}

absl::Status DatabaseOfOtherCell(int of_database, int cell) {
  return Error(
      StatusCode::kFailedPrecondition, "DATABASE_OF_OTHER_CELL",
      absl::StrCat("The database in --dsn belongs to cell ", of_database,
                   ", and this program has --cell=", cell, ". Correct the flag that is wrong."),
      {{"cell", absl::StrCat(of_database)}});
}

absl::Status NotSeated() {
  return Error(StatusCode::kPermissionDenied, "NOT_SEATED", "You do not sit at this table.");
}

absl::Status RecordNotFound() {
  return Error(StatusCode::kNotFound, "RECORD_NOT_FOUND", "There is no such deal.");
}

absl::Status RecordClosed() {
  return Error(StatusCode::kFailedPrecondition, "RECORD_CLOSED",
               "The cards of a deal without a score stay secret until the match is over.");
}

absl::Status NonceRefused(absl::string_view why) {
  absl::string_view text = "A nonce has 1 to 32 bytes.";
  if (why == "DEAL_BEGAN") text = "The nonce is not for the next deal.";
  if (why == "NONCE_GIVEN") text = "You have added a nonce to this deal already.";
  if (why == "NO_SEED_YET") text = "The seed of the next deal does not exist yet.";
  if (why == "MATCH_OVER") text = "The match is over, so there is no next deal.";
  return Error(StatusCode::kFailedPrecondition, "NONCE_REFUSED", std::string(text),
               {{"why", std::string(why)}});
}

absl::Status TalkLimited(absl::string_view why) {
  absl::string_view text = "You spoke less than three seconds ago.";
  if (why == "PHRASES_OF_DEAL_SPENT") text = "You have said 20 phrases in this deal.";
  if (why == "MUTES_OF_DEAL_SPENT") text = "You have changed your mutes 20 times in this deal.";
  return Error(StatusCode::kResourceExhausted, "TALK_LIMITED", std::string(text),
               {{"why", std::string(why)}});
}

absl::Status TalkOver() {
  return Error(StatusCode::kFailedPrecondition, "TALK_OVER",
               "The match is over. Players can speak and mute until its last card.");
}

absl::Status ProposalRefused(absl::string_view why) {
  absl::string_view text = "You have no card that you can take back now.";
  if (why == "NOT_AN_OPTION") text = "This table does not allow such proposals.";
  if (why == "MATCH_OVER") text = "The match is over.";
  if (why == "PROPOSAL_OPEN") text = "Another proposal waits for answers.";
  if (why == "BREAK_RUNS") text = "The table has a break.";
  if (why == "SEAT_HELD") text = "A bot plays for you. Take your seat back first.";
  if (why == "GAME_WENT_ON") text = "The game has gone on, so you cannot take this card back.";
  return Error(StatusCode::kFailedPrecondition, "PROPOSAL_REFUSED", std::string(text),
               {{"why", std::string(why)}});
}

absl::Status ProposalsSpent() {
  return Error(StatusCode::kResourceExhausted, "PROPOSALS_SPENT",
               "You have made too many proposals in this deal.");
}

absl::Status NoProposal() {
  return Error(StatusCode::kFailedPrecondition, "NO_PROPOSAL",
               "This proposal is not open any more.");
}

absl::Status GamePaused(absl::string_view why) {
  const absl::string_view text =
      why == "BREAK_RUNS" ? "The table has a break." : "A proposal waits for answers.";
  return Error(StatusCode::kFailedPrecondition, "GAME_PAUSED", std::string(text),
               {{"why", std::string(why)}});
}

absl::Status ClaimRefused(absl::string_view why, int trick) {
  if (trick == 0) {
    absl::string_view text = "No tricks are played now.";
    if (why == "FIRST_TRICK") text = "No claim is possible in the first trick.";
    if (why == "SEAT_HELD") text = "A bot plays for you. Take your seat back first.";
    return Error(StatusCode::kFailedPrecondition, "CLAIM_REFUSED", std::string(text),
                 {{"why", std::string(why)}});
  }
  return Error(StatusCode::kFailedPrecondition, "CLAIM_REFUSED",
               absl::StrCat("It is not proven that you win trick ", trick, "."),
               {{"why", std::string(why)}, {"trick", absl::StrCat(trick)}});
}

absl::Status DealNotRunning() {
  return Error(absl::StatusCode::kFailedPrecondition, "DEAL_NOT_RUNNING",
               "This deal is not running.");
}

absl::Status MatchOver() {
  return Error(absl::StatusCode::kFailedPrecondition, "MATCH_OVER", "The match is over.");
}

absl::Status PlayerPlays(TableId table) {
  return Error(absl::StatusCode::kFailedPrecondition, "PLAYER_BUSY",
               "The player plays a match. Please try again after its end.",
               {{"table", absl::StrCat("tables/", table.ToString())}});
}

absl::Status ArchiveAway() {
  return Error(StatusCode::kUnavailable, "ARCHIVE_AWAY",
               "The archive of finished matches does not answer.");
}

absl::Status ArchiveDamaged() {
  return Error(StatusCode::kDataLoss, "ARCHIVE_DAMAGED",
               "The archive has damaged the record of this match.");
}

absl::Status TooManyReads() {
  return Error(StatusCode::kResourceExhausted, "RATE_LIMITED",
               "Too many tables are being read; try again in 1 s.", {{"retry_after_seconds", "1"}});
}

absl::Status Overloaded() {
  return Error(StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}

absl::Status StorageAway() {
  return Error(StatusCode::kUnavailable, "STORAGE_AWAY", "The database does not answer.");
}

absl::Status ShuttingDown() {
  return Error(StatusCode::kUnavailable, "SHUTTING_DOWN", "The server is stopping: connect again.");
}

}  // namespace tarot::rules_service
