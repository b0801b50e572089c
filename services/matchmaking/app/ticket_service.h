// The use cases of players (join a queue, read a ticket, watch it, leave the queue) and of the
// rules service (a match is over).
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

struct Joining {
  PlayerId player;
  std::string display_name;
  std::string queue;
  RequestId request_id;
};

// Thread-safe; every method waits for the store.
class TicketService {
 public:
  TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                QueueCatalog& catalog);

  // Returns the open queues.
  std::shared_ptr<const Catalog> catalog() const { return catalog_.Get(); }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // NOT_FOUND QUEUE_NOT_FOUND; ALREADY_EXISTS TICKET_EXISTS.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // NOT_FOUND TICKET_NOT_FOUND, also for another player's ticket. The same in Cancel and Watch.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // FAILED_PRECONDITION TICKET_MATCHED once a table is being made.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Calls `watcher` once before it returns, then as Lobby::Watch says.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  // Closes the tickets of a table whose match is over. OK for a table that is unknown here.
  absl::Status Release(TableId table);

 private:
  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  QueueCatalog& catalog_;
};

}  // namespace tarot::matchmaking_service
