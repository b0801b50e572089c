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
               "This server holds as many tables as it may.");
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
  return Error(StatusCode::kAborted, "REVISION_MISMATCH", "The table has moved on: read it again.",
               {{"revision", absl::StrCat(newest)}});
}

absl::Status HostAway() {
  return Error(absl::StatusCode::kUnavailable, "HOST_AWAY",
               "The server that hosts the table does not answer; try again.");
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
  return Error(StatusCode::kFailedPrecondition, "NONCE_REFUSED",
               absl::StrCat("The nonce cannot be added: ", why, "."), {{"why", std::string(why)}});
}

absl::Status TalkLimited(absl::string_view why) {
  return Error(StatusCode::kResourceExhausted, "TALK_LIMITED",
               absl::StrCat("The seat has talked enough for now: ", why, "."),
               {{"why", std::string(why)}});
}

absl::Status TalkOver() {
  return Error(StatusCode::kFailedPrecondition, "TALK_OVER", "The match is over.");
}

absl::Status ProposalRefused(absl::string_view why) {
  absl::string_view text = "No card of yours can be taken back now.";
  if (why == "NOT_AN_OPTION") text = "This table does not allow it.";
  if (why == "MATCH_OVER") text = "The match is over.";
  if (why == "PROPOSAL_OPEN") text = "Another proposal waits for answers.";
  if (why == "BREAK_RUNS") text = "The table has a break.";
  if (why == "SEAT_HELD") text = "A bot holds the seat.";
  return Error(StatusCode::kFailedPrecondition, "PROPOSAL_REFUSED", std::string(text),
               {{"why", std::string(why)}});
}

absl::Status ProposalsSpent() {
  return Error(StatusCode::kResourceExhausted, "PROPOSALS_SPENT",
               "The seat has made too many proposals in this deal.");
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
    const absl::string_view text = why == "FIRST_TRICK" ? "No claim is possible in the first trick."
                                   : why == "SEAT_HELD" ? "A bot holds the seat."
                                                        : "No tricks are played now.";
    return Error(StatusCode::kFailedPrecondition, "CLAIM_REFUSED", std::string(text),
                 {{"why", std::string(why)}});
  }
  return Error(StatusCode::kFailedPrecondition, "CLAIM_REFUSED",
               absl::StrCat("Trick ", trick, " could be lost."),
               {{"why", std::string(why)}, {"trick", absl::StrCat(trick)}});
}

absl::Status DealNotRunning() {
  return Error(absl::StatusCode::kFailedPrecondition, "DEAL_NOT_RUNNING",
               "The table does not play this deal now.");
}

absl::Status Overloaded() {
  return Error(StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}

absl::Status ShuttingDown() {
  return Error(StatusCode::kUnavailable, "SHUTTING_DOWN", "The server is stopping: connect again.");
}

}  // namespace tarot::rules_service
