#include "services/matchmaking/app/lobby.h"

#include <optional>
#include <utility>

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
    case matching::WaitReason::kBlocked:
      return TicketWaitReason::kBlocked;
    case matching::WaitReason::kKeptForPeople:
      return TicketWaitReason::kKeptForPeople;
    case matching::WaitReason::kSameNetwork:
      return TicketWaitReason::kSameNetwork;
    case matching::WaitReason::kFarAway:
      return TicketWaitReason::kFarAway;
    case matching::WaitReason::kPartyIncomplete:
      return TicketWaitReason::kPartyIncomplete;
  }
  return TicketWaitReason::kNone;
}

}  // namespace

void Lobby::SetWave(std::shared_ptr<const QueueWave> wave) {
  absl::flat_hash_map<TicketId, std::size_t> indices;
  const std::vector<matching::WaitingTicket>& waiting = wave->result().waiting;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    indices[wave->tickets()[waiting[i].ticket].id] = i;
  }
  LastWave last{.wave = std::move(wave), .waiting = std::move(indices)};
  const std::lock_guard lock(mutex_);
  // The old wave may be large, so it is destroyed after the lock is released.
  std::swap(queues_[last.wave->queue().id], last);
}

int Lobby::WaitingCount(const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : static_cast<int>(found->second.waiting.size());
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
  view.waiting_count = static_cast<int>(queue->second.waiting.size());
  const auto known = queue->second.waiting.find(ticket.id);
  if (known == queue->second.waiting.end()) {
    view.position = ++view.waiting_count;
  } else {
    const matching::WaitingTicket& waiting = queue->second.wave->result().waiting[known->second];
    view.position = waiting.position;
    view.wait_reason = FromMatcher(waiting.reason);
    view.rating_window =
        matching::RatingWindow(clock_.Now() - ticket.create_time, waiting.widening);
  }
  return view;
}

TicketExplanation Lobby::Explain(const Ticket& ticket) const {
  TicketExplanation explanation{.view = View(ticket)};
  std::shared_ptr<const QueueWave> wave;
  std::size_t own = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = queues_.find(ticket.queue);
    if (ticket.state != TicketState::kWaiting || queue == queues_.end()) return explanation;
    const auto known = queue->second.waiting.find(ticket.id);
    if (known == queue->second.waiting.end()) return explanation;
    wave = queue->second.wave;
    own = known->second;
  }
  const std::size_t index = wave->result().waiting[own].ticket;
  explanation.wave_time = wave->time();
  explanation.rating = wave->RatingOf(index);
  const std::vector<matching::Obstacle> obstacles = wave->Explain(index);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (i != own) ++explanation.others[obstacles[i]];
  }
  return explanation;
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
