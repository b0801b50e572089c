#include "services/matchmaking/app/ticket_service.h"

#include <optional>
#include <vector>

#include "libs/base/error.h"
#include "services/matchmaking/app/errors.h"

namespace tarot::matchmaking_service {
namespace {

std::optional<Queue> FindQueue(const Catalog& catalog, const std::string& id) {
  for (const Queue& queue : catalog.queues) {
    if (queue.id == id) return queue;
  }
  return std::nullopt;
}

}  // namespace

TicketService::TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                             QueueCatalog& catalog)
    : clock_(clock), entropy_(entropy), store_(store), lobby_(lobby), catalog_(catalog) {}

absl::StatusOr<TicketView> TicketService::Create(const Joining& joining) {
  std::optional<Queue> queue = FindQueue(*catalog_.Get(), joining.queue);
  if (!queue) {
    // The catalog was read before the last wave. Since then, an operator may have opened the queue
    // at another replica.
    if (const absl::Status read = catalog_.Refresh(); absl::IsUnavailable(read)) return read;
    queue = FindQueue(*catalog_.Get(), joining.queue);
    if (!queue) return error::QueueNotFound();
  }
  if (!joining.party.empty() && queue->terms.ranked) {
    return error::FieldInvalid("party", "must be empty in a ranked queue");
  }
  if (joining.party_size > queue->player_count) return error::PartyTooLarge(queue->player_count);
  TAROT_ASSIGN_OR_RETURN(const CreatedTicket created,
                         store_.Create({.id = TicketId{entropy_.NewUuid()},
                                        .queue = joining.queue,
                                        .player = joining.player,
                                        .display_name = joining.display_name,
                                        .request_id = joining.request_id,
                                        .create_time = clock_.Now(),
                                        .party = joining.party,
                                        .party_size = joining.party_size}));
  if (created.outcome == CreatedTicket::Outcome::kHasAnother)
    return error::TicketExists(created.ticket);
  return lobby_.View(created.ticket);
}

absl::StatusOr<std::optional<TicketView>> TicketService::FindRequest(PlayerId player,
                                                                     RequestId request) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> found, store_.FindRequest(player, request));
  if (found.empty()) return std::nullopt;
  return lobby_.View(found[0]);
}

absl::StatusOr<TicketView> TicketService::Get(PlayerId player, TicketId id) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Get({id}));
  if (tickets.empty() || tickets[0].player != player) return error::TicketNotFound();
  return lobby_.View(tickets[0]);
}

absl::StatusOr<TicketView> TicketService::Cancel(PlayerId player, TicketId id) {
  const absl::StatusOr<Ticket> ticket = store_.Cancel(id, player);
  if (absl::IsNotFound(ticket.status())) return error::TicketNotFound();
  TAROT_RETURN_IF_ERROR(ticket.status());
  if (ticket->state != TicketState::kCancelled) return error::TicketMatched(*ticket);
  lobby_.Show({*ticket});
  return lobby_.View(*ticket);
}

absl::Status TicketService::Watch(PlayerId player, TicketId id,
                                  const std::shared_ptr<const Lobby::Watcher>& watcher) {
  TAROT_ASSIGN_OR_RETURN(const TicketView view, Get(player, id));
  (*watcher)(view);
  // WaveJob reads every watched ticket within 200 ms, so a change since Get is not lost.
  lobby_.Watch(view, watcher);
  return absl::OkStatus();
}

absl::Status TicketService::Release(TableId table) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Release(table));
  lobby_.Show(tickets);
  return absl::OkStatus();
}

}  // namespace tarot::matchmaking_service
