// Domain ↔ proto of the matchmaking service.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rpc/auth.h"
#include "services/matchmaking/app/ticket.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/rules/v1/table_admin_service.pb.h"

namespace tarot::matchmaking_service {

namespace v1 = matchmaking::v1;

// "tickets/{uuid}", "tables/{uuid}": INVALID_ARGUMENT BAD_REQUEST, naming `field`, for anything
// else.
absl::StatusOr<TicketId> DecodeTicketName(absl::string_view name, absl::string_view field);
absl::StatusOr<TableId> DecodeTableName(absl::string_view name, absl::string_view field);
absl::StatusOr<Joining> DecodeJoining(const rpc::Caller& caller,
                                      const v1::CreateTicketRequest& request);

void EncodeQueue(const Queue& queue, int waiting_count, v1::Queue* out);
void EncodeTicket(const TicketView& view, v1::Ticket* out);
void EncodeTable(const Queue& queue, const PlannedTable& table,
                 tarot::rules::v1::CreateTableRequest* out);

}  // namespace tarot::matchmaking_service
