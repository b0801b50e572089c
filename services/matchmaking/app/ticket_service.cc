#include "services/matchmaking/app/ticket_service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::matchmaking_service {
namespace {

std::string TableName(const Ticket& ticket) {
  return absl::StrCat("tables/", ticket.table.ToString());
}

absl::Status TicketExists(const Ticket& ticket) {
  ErrorMetadata metadata = {{"ticket", absl::StrCat("tickets/", ticket.id.ToString())}};
  if (!ticket.table.empty()) metadata.emplace_back("table", TableName(ticket));
  return Error(absl::StatusCode::kAlreadyExists, "TICKET_EXISTS",
               "The player has a ticket in this queue already.", metadata);
}

absl::Status TicketNotFound() {
  return Error(absl::StatusCode::kNotFound, "TICKET_NOT_FOUND", "There is no such ticket.");
}

}  // namespace

TicketService::TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                             std::vector<Queue> queues)
    : clock_(clock), entropy_(entropy), store_(store), lobby_(lobby), queues_(std::move(queues)) {}

absl::StatusOr<TicketView> TicketService::Create(const Joining& joining) {
  const auto is_asked_for = [&](const Queue& queue) { return queue.id == joining.queue; };
  if (std::none_of(queues_.begin(), queues_.end(), is_asked_for)) {
    return Error(absl::StatusCode::kNotFound, "QUEUE_NOT_FOUND", "There is no such queue.");
  }
  TAROT_ASSIGN_OR_RETURN(const CreatedTicket created,
                         store_.Create({.id = TicketId{entropy_.NewUuid()},
                                        .queue = joining.queue,
                                        .player = joining.player,
                                        .display_name = joining.display_name,
                                        .request_id = joining.request_id,
                                        .create_time = clock_.Now()}));
  if (created.outcome == CreatedTicket::Outcome::kHasAnother) return TicketExists(created.ticket);
  return lobby_.View(created.ticket);
}

absl::StatusOr<TicketView> TicketService::Get(PlayerId player, TicketId id) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Get({id}));
  if (tickets.empty() || tickets[0].player != player) return TicketNotFound();
  return lobby_.View(tickets[0]);
}

absl::StatusOr<TicketView> TicketService::Cancel(PlayerId player, TicketId id) {
  const absl::StatusOr<Ticket> ticket = store_.Cancel(id, player);
  if (absl::IsNotFound(ticket.status())) return TicketNotFound();
  TAROT_RETURN_IF_ERROR(ticket.status());
  if (ticket->state != TicketState::kCancelled) {
    return Error(absl::StatusCode::kFailedPrecondition, "TICKET_MATCHED",
                 "The ticket has a table already.", {{"table", TableName(*ticket)}});
  }
  lobby_.Show({*ticket});
  return lobby_.View(*ticket);
}

absl::Status TicketService::Watch(PlayerId player, TicketId id,
                                  const std::shared_ptr<const Lobby::Watcher>& watcher) {
  TAROT_ASSIGN_OR_RETURN(const TicketView view, Get(player, id));
  (*watcher)(view);
  // A change since Get is shown after the next look of WaveJob at every watched ticket.
  lobby_.Watch(view, watcher);
  return absl::OkStatus();
}

absl::Status TicketService::Release(TableId table) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Release(table));
  lobby_.Show(tickets);
  return absl::OkStatus();
}

}  // namespace tarot::matchmaking_service
