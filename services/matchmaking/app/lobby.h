// Declares the lobby. It keeps the last wave of each queue, to show players and operators their
// tickets. It also keeps the watchers of tickets.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/queue_wave.h"
#include "services/matchmaking/app/ticket.h"
#include "services/matchmaking/app/watchers.h"

namespace tarot::matchmaking_service {

enum class TicketWaitReason {
  kNone,
  kTooFewPlayers,
  kRatingsTooFar,
  kMakingTable,
  kNextWave,
  kMetJustNow,
  kPartyIncomplete,
  kBlocked,
  kKeptForPeople,
  kSameNetwork,
  kFarAway,
};

// A ticket in the form that its player sees.
struct TicketView {
  Ticket ticket;
  // The following members are set while the ticket is kWaiting. `wait_reason` is also set while the
  // ticket is kPlacing.
  int position = 0;  // The ticket's position in the queue by age. The oldest ticket has position 1.
  int waiting_count = 0;
  TicketWaitReason wait_reason = TicketWaitReason::kNone;
  int rating_window = 0;

  friend bool operator==(const TicketView&, const TicketView&) = default;
};

// A ticket in the form that an operator sees.
struct TicketExplanation {
  TicketView view;
  // The members below are results of the last wave. They are set if the ticket still waited after
  // this wave.
  std::optional<absl::Time> wave_time;
  int rating = 0;
  // others[o] is the number of other waiting tickets for which `o` is the obstacle to a table with
  // this ticket. others[kNone] counts the tickets that may share a table with it.
  std::map<matching::Obstacle, int> others;
};

// Thread-safe. It keeps its data in memory only. After a restart, the first wave fills the lobby
// again.
class Lobby {
 public:
  using Watcher = Watchers<TicketId, TicketView>::Watcher;

  explicit Lobby(Clock& clock) : clock_(clock) {}

  // Replaces the last wave of one queue.
  void SetWave(std::shared_ptr<const QueueWave> wave);
  int WaitingCount(const std::string& queue) const;

  // Returns the ticket in the form that its player sees. If the ticket is newer than the last wave,
  // its position is after all tickets of that wave.
  TicketView View(const Ticket& ticket) const;

  // Returns the ticket in the form that an operator sees. If the ticket did not wait after the last
  // wave, `wave_time` is unset.
  TicketExplanation Explain(const Ticket& ticket) const;

  // Registers a watcher of a ticket, as described for Watchers::Watch.
  void Watch(const TicketView& first, std::weak_ptr<const Watcher> watcher) {
    watchers_.Watch(first.ticket.id, first, std::move(watcher));
  }
  // Returns the tickets whose watchers still exist.
  std::vector<TicketId> Watched() { return watchers_.Watched(); }
  // Calls the watchers of these tickets, as Watchers::Watch describes.
  void Show(absl::Span<const Ticket> tickets);

 private:
  struct LastWave {
    std::shared_ptr<const QueueWave> wave;
    // waiting[id] is the index of a ticket in wave->result().waiting.
    absl::flat_hash_map<TicketId, std::size_t> waiting;
  };
  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, LastWave> queues_;
  Watchers<TicketId, TicketView> watchers_;
};

}  // namespace tarot::matchmaking_service
