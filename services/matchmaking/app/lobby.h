// The lobby knows the place of each waiting ticket after the last wave, and the watchers of
// tickets.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"
#include "services/matchmaking/app/watchers.h"

namespace tarot::matchmaking_service {

// The reasons why a ticket still waits.
enum class TicketWaitReason {
  kNone,
  kTooFewPlayers,
  kRatingsTooFar,
  kMakingTable,
  kNextWave,
  kMetJustNow,
  kPartyIncomplete
};

// A ticket as its player sees it.
struct TicketView {
  Ticket ticket;
  // The members below are set while the ticket waits, `wait_reason` also while it is placed.
  int position = 0;  // The ticket's place by age, from 1.
  int waiting_count = 0;
  TicketWaitReason wait_reason = TicketWaitReason::kNone;
  int rating_window = 0;

  friend bool operator==(const TicketView&, const TicketView&) = default;
};

// Thread-safe. Its data are in memory only. After a restart, the first wave fills them in again.
class Lobby {
 public:
  using Watcher = Watchers<TicketId, TicketView>::Watcher;

  explicit Lobby(Clock& clock) : clock_(clock) {}

  // Replaces the waiting tickets of one queue. `waiting` contains indices into `tickets`.
  void SetWaiting(const std::string& queue, absl::Span<const Ticket> tickets,
                  absl::Span<const matching::WaitingTicket> waiting);
  int WaitingCount(const std::string& queue) const;

  // Returns the ticket as its player sees it. If the ticket came after the last wave, its position
  // is after all tickets that waited then.
  TicketView View(const Ticket& ticket) const;

  // Registers a watcher of a ticket, as described for Watchers::Watch.
  void Watch(const TicketView& first, std::weak_ptr<const Watcher> watcher) {
    watchers_.Watch(first.ticket.id, first, std::move(watcher));
  }
  // Returns the tickets whose watchers are still alive.
  std::vector<TicketId> Watched() { return watchers_.Watched(); }
  // Calls the watchers of these tickets, as described for Watchers::Watch.
  void Show(absl::Span<const Ticket> tickets);

 private:
  struct QueuePosition {
    int position = 0;
    matching::WaitReason reason = matching::WaitReason::kTooFewPlayers;
    float widening = 1;  // An argument of matching::RatingWindow().
  };
  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, absl::flat_hash_map<TicketId, QueuePosition>> queues_;
  Watchers<TicketId, TicketView> watchers_;
};

}  // namespace tarot::matchmaking_service
