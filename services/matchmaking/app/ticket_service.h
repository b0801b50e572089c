// The use cases of players (join a queue, read a ticket, watch it, leave the queue) and of the
// rules service (a match is over).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

struct NewTicket {
  TicketId id;
  std::string queue;
  PlayerId player;
  std::string display_name;
  std::string bot_level;
  RequestId request_id;
  absl::Time create_time;
};

struct CreatedTicket {
  enum class Outcome {
    kCreated,
    kReplayed,    // The player sent this request_id before. `ticket` is the first answer.
    kHasAnother,  // `ticket` is the player's live ticket in this queue.
  };
  Outcome outcome = Outcome::kCreated;
  Ticket ticket;
};

// Any thread may call it. Every method may block. If it returns UNAVAILABLE STORAGE_AWAY, the
// change may or may not have happened. Each method is one atomic step, so any number of replicas
// may share a store. The implementations share one contract test,
// services/matchmaking/testing/ticket_store_contract.h.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  // Returns the open queues, ranked ones first, and the bots.
  virtual absl::StatusOr<Catalog> ReadCatalog() = 0;
  // Replaces all queues and bots. A queue that is missing in `catalog` is closed: its waiting
  // tickets are cancelled, and it accepts no new ones.
  virtual absl::Status WriteCatalog(const Catalog& catalog) = 0;

  // Creates a ticket. Also returns UNAVAILABLE STORAGE_AWAY if the queue was closed at the same
  // moment.
  virtual absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) = 0;
  // Returns the tickets that exist, in any order.
  virtual absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) = 0;
  // Cancels the ticket if it waits. Returns the ticket as it is afterwards, or NOT_FOUND when the
  // player has no such ticket.
  virtual absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) = 0;
  // Returns the waiting tickets, oldest first.
  virtual absl::StatusOr<std::vector<Ticket>> ListWaiting() = 0;
  // Returns the number of waiting tickets by queue. A queue without waiting tickets may be missing.
  virtual absl::StatusOr<std::map<std::string, int>> CountWaiting() = 0;
  // Returns the live tickets of bots.
  virtual absl::StatusOr<std::vector<Ticket>> ListLiveBots() = 0;

  // Stores the table and turns its tickets from waiting to placing. Returns false, and changes
  // nothing, if one of these tickets does not wait any more, or if a player who would sit without a
  // ticket has a live one.
  virtual absl::StatusOr<bool> Place(const PlannedTable& table) = 0;
  // Returns the placed tables that are neither confirmed nor refused, oldest first.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // Records that the table is made, so its tickets are matched. Returns these tickets. Returns none
  // if the table was confirmed or refused before.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) = 0;
  // Records that the table will not be made, so its tickets wait again and keep their age. Returns
  // these tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) = 0;
  // Records that the match is over, so its tickets are closed. Returns these tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Release(TableId table) = 0;
};

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
