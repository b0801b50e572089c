// The lobby knows the place of each waiting ticket after the last wave, and the watchers of
// tickets.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// The reasons why a ticket still waits.
enum class TicketWaitReason {
  kNone,
  kTooFewPlayers,
  kRatingsTooFar,
  kMakingTable,
  kNextWave,
  kMetJustNow
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
  using Watcher = std::function<void(const TicketView&)>;

  explicit Lobby(Clock& clock) : clock_(clock) {}

  // Replaces the waiting tickets of one queue. `waiting` contains indices into `tickets`.
  void SetWaiting(const std::string& queue, absl::Span<const Ticket> tickets,
                  absl::Span<const matching::WaitingTicket> waiting);
  int WaitingCount(const std::string& queue) const;

  // Returns the ticket as its player sees it. If the ticket came after the last wave, its position
  // is after all tickets that waited then.
  TicketView View(const Ticket& ticket) const;

  // As long as the watcher lives, Show calls it with every view of the ticket that differs from the
  // view before. `first` is the view that the watcher already has. The watcher runs on any thread,
  // and must not block or throw.
  void Watch(const TicketView& first, std::weak_ptr<const Watcher> watcher);
  // Returns the tickets whose watchers are still alive.
  std::vector<TicketId> Watched();
  // Calls the watchers of these tickets, as described for Watch.
  void Show(absl::Span<const Ticket> tickets);

 private:
  struct QueuePosition {
    int position = 0;
    matching::WaitReason reason = matching::WaitReason::kTooFewPlayers;
  };
  struct Subscription {
    TicketView last;
    std::weak_ptr<const Watcher> watcher;
  };

  TicketView ViewLocked(const Ticket& ticket) const;

  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, absl::flat_hash_map<TicketId, QueuePosition>> queues_;
  std::vector<Subscription> subscriptions_;
};

}  // namespace tarot::matchmaking_service
