// The state of each waiting ticket after the last wave, and the watchers of tickets.
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
#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

// Why a ticket still waits.
enum class WaitReason {
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
  // While the ticket waits:
  int position = 0;  // From 1, by age.
  int waiting_count = 0;
  WaitReason wait_reason = WaitReason::kNone;
  int rating_window = 0;

  friend bool operator==(const TicketView&, const TicketView&) = default;
};

// Thread-safe. Memory only: after a restart the next wave fills it again.
class Lobby {
 public:
  using Watcher = std::function<void(const TicketView&)>;

  explicit Lobby(Clock& clock) : clock_(clock) {}

  // Replaces the waiting tickets of one queue; `waiting` has indices into `tickets`.
  void SetWaiting(const std::string& queue, absl::Span<const Ticket> tickets,
                  absl::Span<const matching::WaitingTicket> waiting);
  int WaitingCount(const std::string& queue) const;

  // A ticket younger than the last wave has the position behind all tickets of that wave.
  TicketView View(const Ticket& ticket) const;

  // Calls `watcher` with every view that differs from the one before, for as long as the watcher
  // lives. `first` is the view that it has already. `watcher` runs on any thread; it must not block
  // or throw.
  void Watch(const TicketView& first, std::weak_ptr<const Watcher> watcher);
  // Returns the tickets of the watchers that still live.
  std::vector<TicketId> Watched();
  // Shows each of these tickets to its watchers.
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
