// Defines all errors of the matchmaking service. docs/errors.md lists their reasons.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service::error {

// Errors about queues and bots. `field` is the path of the field in the request or in
// deploy/queues.json.
inline absl::Status QueueNotFound() {
  return Error(absl::StatusCode::kNotFound, "QUEUE_NOT_FOUND", "There is no such queue.");
}
inline absl::Status FieldInvalid(const std::string& field, const std::string& rule) {
  return BadRequest(field, rule);
}
inline absl::Status FileUnreadable(const std::string& path) {
  return BadRequest(path, "cannot be read");
}

// Errors about tickets.
inline absl::Status TicketExists(const Ticket& ticket) {
  ErrorMetadata metadata = {{"ticket", absl::StrCat("tickets/", ticket.id.ToString())}};
  if (!ticket.table.empty()) {
    metadata.emplace_back("table", absl::StrCat("tables/", ticket.table.ToString()));
  }
  if (!ticket.party.empty()) {
    metadata.emplace_back("party", absl::StrCat("rooms/", ticket.party.ToString()));
  }
  return Error(absl::StatusCode::kAlreadyExists, "TICKET_EXISTS",
               "You already have a ticket in this queue.", metadata);
}
inline absl::Status TicketNotFound() {
  return Error(absl::StatusCode::kNotFound, "TICKET_NOT_FOUND", "There is no such ticket.");
}
inline absl::Status TicketMatched(const Ticket& ticket) {
  return Error(absl::StatusCode::kFailedPrecondition, "TICKET_MATCHED",
               "The ticket already has a table.",
               {{"table", absl::StrCat("tables/", ticket.table.ToString())}});
}
inline absl::Status PartyTooLarge(int player_count) {
  return Error(absl::StatusCode::kFailedPrecondition, "PARTY_TOO_LARGE",
               "The room has more persons than a table of this queue has seats.",
               {{"player_count", absl::StrCat(player_count)}});
}
// The penalty ends at the time `end`. `left` is the time until then.
inline absl::Status LeaverPenalty(absl::Time end, absl::Duration left) {
  const std::int64_t seconds = absl::ToInt64Seconds(absl::Ceil(left, absl::Seconds(1)));
  return Error(absl::StatusCode::kFailedPrecondition, "LEAVER_PENALTY",
               absl::StrCat("You left a ranked match. You may join a ranked queue in ",
                            absl::FormatDuration(absl::Seconds(seconds)), "."),
               {{"until", absl::FormatTime(absl::RFC3339_sec, end, absl::UTCTimeZone())},
                {"seconds_left", absl::StrCat(seconds)}});
}
inline absl::Status MatchesMissing(int missing) {
  return Error(absl::StatusCode::kFailedPrecondition, "MATCHES_MISSING",
               absl::StrCat("Before ranked matches you must finish ", missing,
                            missing == 1 ? " more match of a casual queue."
                                         : " more matches of casual queues."),
               {{"missing", absl::StrCat(missing)}});
}

// Errors about rooms.
inline absl::Status RoomNotFound() {
  return Error(absl::StatusCode::kNotFound, "ROOM_NOT_FOUND", "There is no such room.");
}
inline absl::Status CodeNotFound() {
  return Error(absl::StatusCode::kNotFound, "CODE_NOT_FOUND", "No room has this code.");
}
inline absl::Status RoomFull() {
  return Error(absl::StatusCode::kFailedPrecondition, "ROOM_FULL", "No seat is free.");
}
inline absl::Status InRoom(RoomId room) {
  return Error(absl::StatusCode::kAlreadyExists, "IN_ROOM", "You already sit in a room.",
               {{"room", absl::StrCat("rooms/", room.ToString())}});
}
inline absl::Status GuestInRoom(RoomId room) {
  return Error(absl::StatusCode::kAlreadyExists, "IN_ROOM", "This player sits in the room already.",
               {{"room", absl::StrCat("rooms/", room.ToString())}});
}
inline absl::Status NotHost() {
  return Error(absl::StatusCode::kPermissionDenied, "NOT_HOST", "Only the host may do this.");
}
inline absl::Status RemovedFromRoom() {
  return Error(absl::StatusCode::kPermissionDenied, "REMOVED_FROM_ROOM",
               "The host has removed you from this room.");
}
inline absl::Status PlayerNotFound() {
  return Error(absl::StatusCode::kNotFound, "PLAYER_NOT_FOUND",
               "No player with this name has used rooms or queues.");
}
inline absl::Status GuestIsBot() {
  return Error(absl::StatusCode::kFailedPrecondition, "PLAYER_IS_BOT",
               "This player is a bot. The host of a room puts bots into its seats.");
}
inline absl::Status InvitationsFull() {
  return Error(absl::StatusCode::kResourceExhausted, "INVITATIONS_FULL",
               "The room has too many open invitations.");
}
inline absl::Status SeatTaken() {
  return Error(absl::StatusCode::kFailedPrecondition, "SEAT_TAKEN", "A person has this seat.");
}
inline absl::Status SeatsFree(int count) {
  return Error(absl::StatusCode::kFailedPrecondition, "SEATS_FREE", "Some seats are free.",
               {{"free_seats", absl::StrCat(count)}});
}
// If the rules service has not made the table yet, `table` is empty.
inline absl::Status MatchRunning(TableId table) {
  ErrorMetadata metadata;
  if (!table.empty()) metadata.emplace_back("table", absl::StrCat("tables/", table.ToString()));
  return Error(absl::StatusCode::kFailedPrecondition, "MATCH_RUNNING",
               "A match of this room is running.", metadata);
}
// No cell of the rules service has a free table now.
inline absl::Status TablesFull() {
  return Error(absl::StatusCode::kResourceExhausted, "TABLES_FULL",
               "The platform has no room for another table now; try again later.");
}
inline absl::Status PlayerBusy(PlayerId player) {
  return Error(absl::StatusCode::kFailedPrecondition, "PLAYER_BUSY",
               "A player of this room waits in a queue or plays at another table.",
               {{"player", absl::StrCat("players/", player.ToString())}});
}
inline absl::Status PlayerPlays(TableId table) {
  return Error(absl::StatusCode::kFailedPrecondition, "PLAYER_BUSY",
               "The player plays a match. Please try again after its end.",
               {{"table", absl::StrCat("tables/", table.ToString())}});
}
// Each attempt of the caller to change the room failed, because another change was stored first.
inline absl::Status RoomContended() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The room is busy.");
}

// Errors about friends, blocks and reports.
inline absl::Status Blocked() {
  return Error(absl::StatusCode::kFailedPrecondition, "BLOCKED",
               "One of two players who would meet has blocked the other.");
}
inline absl::Status PlayerIsBot() {
  return Error(absl::StatusCode::kFailedPrecondition, "PLAYER_IS_BOT",
               "This player is a bot. Bots cannot be friends, be blocked or be reported.");
}
inline absl::Status RequestNotFound() {
  return Error(absl::StatusCode::kNotFound, "REQUEST_NOT_FOUND",
               "This player has not asked to be your friend.");
}
inline absl::Status FriendsFull() {
  return Error(absl::StatusCode::kResourceExhausted, "FRIENDS_FULL",
               "You or the other player have too many friends and requests.");
}
inline absl::Status BlocksFull() {
  return Error(absl::StatusCode::kResourceExhausted, "BLOCKS_FULL", "You block too many players.");
}
inline absl::Status TableNotFound() {
  return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND",
               "You got no seat at a table with this name.");
}
inline absl::Status NotAtTable() {
  return Error(absl::StatusCode::kFailedPrecondition, "NOT_AT_TABLE",
               "The reported player got no seat at this table.");
}
inline absl::Status DealNotFound(int deals_dealt) {
  return Error(absl::StatusCode::kNotFound, "DEAL_NOT_FOUND",
               "This deal has not been dealt at this table.",
               {{"deals_dealt", absl::StrCat(deals_dealt)}});
}
inline absl::Status ReportsFull() {
  return Error(absl::StatusCode::kResourceExhausted, "REPORTS_FULL",
               "You have made too many reports today.");
}

// Errors of this service while it is busy or stops.
inline absl::Status ShuttingDown() {
  return Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN", "The server is stopping.");
}
inline absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}
// The table's id names a cell that --rules_address does not have.
inline absl::Status CellUnknown() {
  return Error(absl::StatusCode::kUnavailable, "CELL_UNKNOWN",
               "The cell of the table is not in the configuration.");
}
// A cell did not answer, or has not answered yet after the start of this process.
inline absl::Status RulesAway() {
  return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY",
               "The rules service is away; try again.", {{"service", "rules"}});
}
inline absl::Status Stopping() { return absl::CancelledError("The service is stopping."); }

}  // namespace tarot::matchmaking_service::error
