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

// Thread-safe. Every method waits for the store.
class TicketService {
 public:
  TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                QueueCatalog& catalog);

  // Returns the open queues.
  std::shared_ptr<const Catalog> catalog() const { return catalog_.Get(); }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // Puts a player into a queue. Returns NOT_FOUND QUEUE_NOT_FOUND or ALREADY_EXISTS TICKET_EXISTS.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // Returns NOT_FOUND TICKET_NOT_FOUND, also for another player's ticket. Cancel and Watch return
  // it too.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // Returns FAILED_PRECONDITION TICKET_MATCHED as soon as rules is making a table.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Calls `watcher` once before it returns. Later calls follow the rules of Lobby::Watch.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  // Closes the tickets of a table whose match is over. Returns OK for a table that is unknown here.
  absl::Status Release(TableId table);

 private:
  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  QueueCatalog& catalog_;
};

}  // namespace tarot::matchmaking_service
