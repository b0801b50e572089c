#include "services/matchmaking/app/waiting_tickets.h"

#include "absl/container/flat_hash_set.h"
#include "libs/base/error.h"

namespace tarot::matchmaking_service {

absl::Status WaitingTickets::Refresh() {
  TAROT_ASSIGN_OR_RETURN(TicketChanges changes, store_->ReadChanges(cursor_));
  // The cursor becomes smaller only if the database was restored from a copy.
  if (changes.next_cursor < cursor_) {
    *this = WaitingTickets(*store_);
    return Refresh();
  }
  // When a player cancels a ticket, the store deletes the player's older cancelled tickets. If a
  // player cancels two tickets between two reads, the store has deleted the older ticket, so no
  // change shows that this ticket has ended. Therefore this code reads the other tickets of each
  // player with a cancelled ticket.
  std::vector<TicketId> doubtful;
  for (const TicketChange& change : changes.tickets) {
    if (change.ticket.state != TicketState::kCancelled) continue;
    for (const TicketId other : Others(change.ticket)) doubtful.push_back(other);
  }
  TAROT_RETURN_IF_ERROR(Check(doubtful));
  for (TicketChange& change : changes.tickets) Apply(std::move(change));
  cursor_ = changes.next_cursor;
  return absl::OkStatus();
}

absl::Status WaitingTickets::Check(const std::vector<TicketId>& tickets) {
  if (tickets.empty()) return absl::OkStatus();
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> found, store_->Get(tickets));
  absl::flat_hash_set<TicketId> waiting;
  for (const Ticket& ticket : found) {
    if (ticket.state == TicketState::kWaiting) waiting.insert(ticket.id);
  }
  for (const TicketId id : tickets) {
    if (!waiting.contains(id)) Erase(id);
  }
  return absl::OkStatus();
}

std::vector<Ticket> WaitingTickets::Of(const std::string& queue) const {
  std::vector<Ticket> tickets;
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return tickets;
  tickets.reserve(found->second.size());
  for (const auto& [age, ticket] : found->second) tickets.push_back(ticket);
  return tickets;
}

int WaitingTickets::Count(const std::string& queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : static_cast<int>(found->second.size());
}

std::vector<TicketId> WaitingTickets::Others(const Ticket& ticket) const {
  std::vector<TicketId> others;
  const auto found = of_player_.find(ticket.player);
  if (found == of_player_.end()) return others;
  for (const TicketId id : found->second) {
    if (id != ticket.id) others.push_back(id);
  }
  return others;
}

void WaitingTickets::Apply(TicketChange change) {
  Ticket& ticket = change.ticket;
  Erase(ticket.id);
  if (ticket.state != TicketState::kWaiting) return;
  if (!change.blocked.empty()) {
    blocks_[ticket.player] = std::move(change.blocked);
  } else {
    blocks_.erase(ticket.player);
  }
  of_player_[ticket.player].push_back(ticket.id);
  places_[ticket.id] = {ticket.queue, ticket.create_time};
  ByAge& queue = queues_[ticket.queue];
  queue.emplace(std::pair(ticket.create_time, ticket.id), std::move(ticket));
}

void WaitingTickets::Erase(TicketId id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  const auto queue = queues_.find(place->second.first);
  const auto entry = queue->second.find({place->second.second, id});
  const auto tickets = of_player_.find(entry->second.player);
  std::erase(tickets->second, id);
  if (tickets->second.empty()) {
    blocks_.erase(tickets->first);
    of_player_.erase(tickets);
  }
  queue->second.erase(entry);
  places_.erase(place);
}

}  // namespace tarot::matchmaking_service
