// What must be durable: queues, the roster of bots, tickets, and tables until they are made.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
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
    kReplayed,    // The player sent this request_id before: that ticket.
    kHasAnother,  // The player's live ticket in this queue.
  };
  Outcome outcome = Outcome::kCreated;
  Ticket ticket;
};

// Every method may block, from any thread, and may answer UNAVAILABLE STORAGE_AWAY: then it may or
// may not have happened. Each is one atomic step, so any number of replicas may share a store.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  virtual absl::StatusOr<std::vector<Queue>> ListQueues() = 0;
  // In the order in which they join the population.
  virtual absl::StatusOr<std::vector<Bot>> ListBots() = 0;

  virtual absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) = 0;
  // Those that exist, in any order.
  virtual absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) = 0;
  // Cancels the ticket if it waits; returns it as it is afterwards. NOT_FOUND for no ticket of this
  // player.
  virtual absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) = 0;
  // Oldest first.
  virtual absl::StatusOr<std::vector<Ticket>> ListWaiting() = 0;
  // How many tickets wait, by queue; queues where none does may be missing.
  virtual absl::StatusOr<std::map<std::string, int>> CountWaiting() = 0;
  // Live tickets of bots.
  virtual absl::StatusOr<std::vector<Ticket>> ListLiveBots() = 0;

  // Stores the table and turns its tickets from waiting to placing: all, or nothing and false when
  // one of them does not wait any more, or a seat without a ticket is of a player with a live one.
  virtual absl::StatusOr<bool> Place(const PlannedTable& table) = 0;
  // Tables that are placed, neither confirmed nor refused. Oldest first.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // The table is made: its tickets are matched. Returns those, none when somebody said so before.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) = 0;
  // The table will never be: its tickets wait again, as old as they are. Returns those.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) = 0;
  // The match is over: its tickets are closed. Returns those.
  virtual absl::StatusOr<std::vector<Ticket>> Release(TableId table) = 0;
};

}  // namespace tarot::matchmaking_service
