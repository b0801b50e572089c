// The use cases of players: join a queue, look at a ticket, watch it, leave; and of the rules
// service: a match is over.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/lobby.h"
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
                std::vector<Queue> queues);

  const std::vector<Queue>& queues() const { return queues_; }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // NOT_FOUND QUEUE_NOT_FOUND; ALREADY_EXISTS TICKET_EXISTS.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // NOT_FOUND TICKET_NOT_FOUND, also for another player's ticket: here and below.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // FAILED_PRECONDITION TICKET_MATCHED once a table is being made.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Calls `watcher` once before it returns, then as Lobby::Watch says.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  absl::Status Release(TableId table);

 private:
  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  const std::vector<Queue> queues_;
};

}  // namespace tarot::matchmaking_service
