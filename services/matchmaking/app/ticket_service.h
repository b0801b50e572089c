// TicketService serves players, who join a queue, read or watch a ticket, or leave the queue. It
// also serves the rules service, which reports matches that are over. TicketStore is the interface
// of the store.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
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
  RoomId party;  // Empty without a party.
  int party_size = 1;
};

struct CreatedTicket {
  enum class Outcome {
    kCreated,
    kReplayed,    // The player sent this request_id before. `ticket` is the ticket of that request.
    kHasAnother,  // `ticket` is the player's live ticket in this queue.
  };
  Outcome outcome = Outcome::kCreated;
  Ticket ticket;
};

// The store of tickets, tables and the catalog. Any thread may call it. Every method may block. If
// a method returns UNAVAILABLE STORAGE_AWAY, its change may or may not have happened. Each method
// is one atomic step, so any number of replicas may share a store. All implementations pass one
// contract test, services/matchmaking/testing/ticket_store_contract.h.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  // Returns the open queues, ranked ones first, and the bots.
  virtual absl::StatusOr<Catalog> ReadCatalog() = 0;
  // Replaces all queues and bots. A queue that is missing in `catalog` is closed: its waiting
  // tickets are cancelled, and it accepts no new tickets. The waiting tickets of parties are also
  // cancelled if their queue is ranked now, or has fewer seats than their party has persons.
  virtual absl::Status WriteCatalog(const Catalog& catalog) = 0;

  // Creates a ticket. Also returns UNAVAILABLE STORAGE_AWAY if the queue is closed, or if the
  // player's other ticket ends at the same moment.
  virtual absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) = 0;
  // Returns the ticket that this request of the player has made, if there is one.
  virtual absl::StatusOr<std::vector<Ticket>> FindRequest(PlayerId player, RequestId request) = 0;
  // Returns those of the given tickets that exist, in any order.
  virtual absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) = 0;
  // Cancels the ticket if it waits. If the player sits in the room of the ticket's party, also
  // cancels the waiting tickets of all persons of this party in the same queue. Forgets the older
  // cancelled tickets of the players whose tickets it cancels. Returns the ticket as it is
  // afterwards, or NOT_FOUND if the player has no such ticket.
  virtual absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) = 0;
  // Returns the waiting tickets, oldest first. The party of a ticket is the present company of its
  // room: `party_size` is the number of persons in the room now, and a player who has left the room
  // waits without a party.
  virtual absl::StatusOr<std::vector<Ticket>> ListWaiting() = 0;
  // Returns the blocks between players with waiting tickets: the blocking player and the blocked
  // one.
  virtual absl::StatusOr<std::vector<std::pair<PlayerId, PlayerId>>> ListBlocks() = 0;
  // Returns the number of waiting tickets of each queue. Queues without waiting tickets may be
  // missing.
  virtual absl::StatusOr<std::map<std::string, int>> CountWaiting() = 0;
  // Returns the live tickets of bots.
  virtual absl::StatusOr<std::vector<Ticket>> ListLiveBots() = 0;

  // Stores the table, and moves its tickets from kWaiting to kPlacing. Changes nothing and returns
  // false in two cases: one of these tickets no longer waits, or a bot that fills a free seat has a
  // live ticket.
  virtual absl::StatusOr<bool> Place(const PlannedTable& table) = 0;
  // Returns the placed tables without an answer (Confirm, Refuse or Release), oldest first.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // Records that the rules service has made the table, and moves its tickets to kMatched. Returns
  // these tickets. If the table already has an answer, changes nothing and returns no tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) = 0;
  // Records that the rules service has refused the table. Its tickets wait again and keep their
  // age. Returns these tickets. If the table already has an answer, changes nothing and returns no
  // tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) = 0;
  // Records that the match is over, and moves its tickets to kClosed. Returns these tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Release(TableId table) = 0;
};

struct Joining {
  PlayerId player;
  std::string display_name;
  std::string queue;
  RequestId request_id;
  RoomId party;        // Empty without a party. The player sits in this room.
  int party_size = 1;  // The number of persons in this room.
};

// Thread-safe. Every method waits for the store.
class TicketService {
 public:
  TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                QueueCatalog& catalog);

  // Returns the open queues.
  std::shared_ptr<const Catalog> catalog() const { return catalog_.Get(); }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // Puts a player into a queue. Returns NOT_FOUND QUEUE_NOT_FOUND if no open queue has this id, and
  // ALREADY_EXISTS TICKET_EXISTS if the player has a live ticket in the queue. For a party, also
  // returns INVALID_ARGUMENT BAD_REQUEST in a ranked queue, and FAILED_PRECONDITION
  // PARTY_TOO_LARGE.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // Returns the ticket that this request of the player has made, if there is one.
  absl::StatusOr<std::optional<TicketView>> FindRequest(PlayerId player, RequestId request);

  // Returns NOT_FOUND TICKET_NOT_FOUND if the player has no such ticket. Cancel and Watch return
  // the same error.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // Cancels a ticket that waits. Returns FAILED_PRECONDITION TICKET_MATCHED if the ticket has a
  // table, even if rules is still making the table.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Calls `watcher` once with the present view. Later the lobby calls it, as described for
  // Lobby::Watch.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  // Closes the tickets of a table whose match is over. Also returns OK for an unknown table.
  absl::Status Release(TableId table);

 private:
  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  QueueCatalog& catalog_;
};

}  // namespace tarot::matchmaking_service
