// All errors of the matchmaking service. docs/errors.md lists their reasons.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
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
  return Error(absl::StatusCode::kAlreadyExists, "TICKET_EXISTS",
               "The player already has a ticket in this queue.", metadata);
}
inline absl::Status TicketNotFound() {
  return Error(absl::StatusCode::kNotFound, "TICKET_NOT_FOUND", "There is no such ticket.");
}
inline absl::Status TicketMatched(const Ticket& ticket) {
  return Error(absl::StatusCode::kFailedPrecondition, "TICKET_MATCHED",
               "The ticket already has a table.",
               {{"table", absl::StrCat("tables/", ticket.table.ToString())}});
}

// Errors for a service that is busy or stopping.
inline absl::Status ShuttingDown() {
  return Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN", "The server is stopping.");
}
inline absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}
inline absl::Status Stopping() { return absl::CancelledError("The service is stopping."); }

}  // namespace tarot::matchmaking_service::error
