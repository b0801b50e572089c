// What the last wave said about each ticket that waits, and who watches which ticket.
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

// Thread-safe. Memory only: after a restart the next wave fills it again.
class Lobby {
 public:
  using Watcher = std::function<void(const TicketView&)>;

  explicit Lobby(Clock& clock) : clock_(clock) {}

  // The tickets of one queue that a wave left, `waiting` indexing into `tickets`.
  void SetWaiting(const std::string& queue, absl::Span<const Ticket> tickets,
                  absl::Span<const matching::WaitingTicket> waiting);
  int WaitingCount(const std::string& queue) const;

  // A ticket younger than the last wave is shown behind all that waited then.
  TicketView View(const Ticket& ticket) const;

  // Calls `watcher`, which must not block or throw, on any thread, with every view that differs
  // from the one before, for as long as the watcher lives; `first` is what it knows already.
  void Watch(const TicketView& first, std::weak_ptr<const Watcher> watcher);
  // Tickets of watchers that live.
  std::vector<TicketId> Watched();
  // Shows each of these tickets to its watchers.
  void Show(absl::Span<const Ticket> tickets);

 private:
  struct Place {
    int position = 0;
    matching::WaitReason reason = matching::WaitReason::kTooFewPlayers;
  };
  struct Watching {
    TicketView last;
    std::weak_ptr<const Watcher> watcher;
  };

  TicketView ViewLocked(const Ticket& ticket) const;

  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, absl::flat_hash_map<TicketId, Place>> queues_;
  std::vector<Watching> watches_;
};

}  // namespace tarot::matchmaking_service
