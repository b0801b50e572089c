#include "services/matchmaking/app/lobby.h"

#include <optional>

namespace tarot::matchmaking_service {
namespace {

TicketWaitReason FromMatcher(matching::WaitReason reason) {
  switch (reason) {
    case matching::WaitReason::kTooFewPlayers:
      return TicketWaitReason::kTooFewPlayers;
    case matching::WaitReason::kRatingsTooFar:
      return TicketWaitReason::kRatingsTooFar;
    case matching::WaitReason::kMetJustNow:
      return TicketWaitReason::kMetJustNow;
    case matching::WaitReason::kPartyIncomplete:
      return TicketWaitReason::kPartyIncomplete;
  }
  return TicketWaitReason::kNone;
}

}  // namespace

void Lobby::SetWaiting(const std::string& queue, absl::Span<const Ticket> tickets,
                       absl::Span<const matching::WaitingTicket> waiting) {
  absl::flat_hash_map<TicketId, QueuePosition> positions;
  for (const matching::WaitingTicket& ticket : waiting) {
    positions[tickets[ticket.ticket].id] = {
        .position = ticket.position, .reason = ticket.reason, .widening = ticket.widening};
  }
  const std::lock_guard lock(mutex_);
  queues_[queue] = std::move(positions);
}

int Lobby::WaitingCount(const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : static_cast<int>(found->second.size());
}

TicketView Lobby::View(const Ticket& ticket) const {
  const std::lock_guard lock(mutex_);
  TicketView view{.ticket = ticket};
  if (ticket.state == TicketState::kPlacing) view.wait_reason = TicketWaitReason::kMakingTable;
  if (ticket.state != TicketState::kWaiting) return view;
  view.rating_window = matching::RatingWindow(clock_.Now() - ticket.create_time);
  view.position = view.waiting_count = 1;
  view.wait_reason = TicketWaitReason::kNextWave;
  const auto queue = queues_.find(ticket.queue);
  if (queue == queues_.end()) return view;
  view.waiting_count = static_cast<int>(queue->second.size());
  const auto known = queue->second.find(ticket.id);
  if (known == queue->second.end()) {
    view.position = ++view.waiting_count;
  } else {
    view.position = known->second.position;
    view.wait_reason = FromMatcher(known->second.reason);
    view.rating_window =
        matching::RatingWindow(clock_.Now() - ticket.create_time, known->second.widening);
  }
  return view;
}

void Lobby::Show(absl::Span<const Ticket> tickets) {
  absl::flat_hash_map<TicketId, const Ticket*> by_id;
  for (const Ticket& ticket : tickets) by_id[ticket.id] = &ticket;
  watchers_.Show([&](TicketId id, const TicketView&) -> std::optional<TicketView> {
    const auto found = by_id.find(id);
    if (found == by_id.end()) return std::nullopt;
    return View(*found->second);
  });
}

}  // namespace tarot::matchmaking_service
