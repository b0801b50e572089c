// TicketService has the use cases of queues: a player joins or leaves a queue, and reads or watches
// a ticket; the rules service reports that a match is over. TicketStore is the interface of the
// store.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
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
#include "services/matchmaking/app/standing.h"
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
  std::string network;  // As in Ticket.
  std::string region;   // As in Ticket.
};

struct CreatedTicket {
  enum class Outcome {
    kCreated,
    // `ticket` is the ticket that an earlier copy of this request made.
    kReplayed,
    kHasAnother,  // `ticket` is the player's live ticket in this queue.
  };
  Outcome outcome = Outcome::kCreated;
  Ticket ticket;
};

struct TicketChange {
  // The ticket. If it waits, `party` and `party_size` have the values of now (see Ticket): `party`
  // is empty if the room has ended or the player has left it.
  Ticket ticket;
  std::vector<PlayerId> blocked;  // For a waiting ticket: the players whom its player blocks.

  friend bool operator==(const TicketChange&, const TicketChange&) = default;
};

struct TicketChanges {
  std::vector<TicketChange> tickets;
  // The cursor for the next read. It becomes smaller only if the database was restored.
  std::uint64_t next_cursor = 0;
};

// A match that is over.
struct FinishedMatch {
  TableId table;
  std::vector<PlayerId> left = {};  // The persons who were away at the end of the match.
  absl::Time time = absl::UnixEpoch();
};

// Returns how the match ended for `player`, one of its `persons`.
EndOfMatch EndFor(PlayerId player, absl::Span<const PlayerId> persons, const FinishedMatch& match,
                  bool ranked);

// The store of tickets, tables and the catalog. Any thread may call it. Every method may block. If
// a method returns UNAVAILABLE STORAGE_AWAY, it is unknown whether its change was made. Each method
// is one atomic step, so any number of replicas may share a store. All implementations pass one
// contract test, services/matchmaking/testing/ticket_store_contract.h.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  // Returns the open queues, ranked ones first, the bots and the population.
  virtual absl::StatusOr<Catalog> ReadCatalog() = 0;
  // Replaces all queues and bots, but not the population. A queue that is missing in `catalog` is
  // removed: its waiting tickets are cancelled, and it accepts no new tickets. A queue that an
  // operator has closed stays closed. A party's waiting tickets are cancelled too if their queue is
  // now ranked or has too few seats for the party.
  virtual absl::Status WriteCatalog(const Catalog& catalog) = 0;
  // Returns the ids of the queues that an operator has closed.
  virtual absl::StatusOr<std::vector<std::string>> ListClosedQueues() = 0;
  // Closes a queue, or opens it again. A closed queue accepts no tickets, and its waiting tickets
  // are cancelled. Returns the cancelled tickets, or NOT_FOUND if the catalog has no such queue.
  virtual absl::StatusOr<std::vector<Ticket>> SetQueueOpen(const std::string& queue, bool open) = 0;
  // Stores Catalog::population.
  virtual absl::Status SetPopulation(int population) = 0;

  // Creates a ticket. Also returns UNAVAILABLE STORAGE_AWAY if no open queue has this id, or if
  // another ticket of the player ends at the same moment.
  virtual absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) = 0;
  // Returns the ticket that this request of the player has made, if there is one.
  virtual absl::StatusOr<std::vector<Ticket>> FindRequest(PlayerId player, RequestId request) = 0;
  // Returns the tickets with these ids, in any order. Leaves out tickets that do not exist.
  virtual absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) = 0;
  // Cancels the ticket if it waits. If the player sits in the room of the ticket's party, also
  // cancels the waiting tickets of the party's other persons in the same queue. Deletes the other
  // cancelled tickets of these players. Returns the ticket as it is afterwards, or NOT_FOUND if the
  // player has no such ticket.
  virtual absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) = 0;
  virtual absl::StatusOr<std::vector<Ticket>> ListWaiting(PlayerId player) = 0;
  // Returns the tickets that have changed since the read that returned `cursor`, in any order. The
  // cursor 0 returns all waiting tickets. The result may also have tickets that have not changed. A
  // waiting ticket also counts as changed when the persons of its party change, and when its player
  // blocks or unblocks another player. Deleted tickets are missing.
  virtual absl::StatusOr<TicketChanges> ReadChanges(std::uint64_t cursor) = 0;
  virtual absl::StatusOr<std::vector<Ticket>> ListLiveBots() = 0;

  // Stores tables, and moves their tickets from kWaiting to kPlacing. Leaves out a table if one of
  // its tickets no longer waits, or if a bot that fills a free seat has a live ticket. Returns the
  // tables that are stored.
  virtual absl::StatusOr<std::set<TableId>> Place(absl::Span<const PlannedTable> tables) = 0;
  // Returns the placed tables for which none of Confirm, Refuse and Release was called, oldest
  // first.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // Records that the rules service has made the tables, and moves their tickets to kMatched.
  // Returns these tickets. Leaves out tables that already have an answer.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(absl::Span<const TableId> tables) = 0;
  // Records that the rules service has refused the tables. Their tickets wait again and keep their
  // age. Returns these tickets. Leaves out tables that already have an answer.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(absl::Span<const TableId> tables) = 0;
  // Records that the match is over, and moves its tickets to kClosed. Returns these tickets. If the
  // table belongs to a queue, counts the match in the standings of its persons (AfterMatch). A
  // second call for the same table changes nothing.
  virtual absl::StatusOr<std::vector<Ticket>> Release(const FinishedMatch& match) = 0;
  // Returns an empty standing for a person without a finished match.
  virtual absl::StatusOr<Standing> GetStanding(PlayerId player) = 0;
};

struct Joining {
  PlayerId player;
  std::string display_name;
  std::string queue;
  RequestId request_id;
  RoomId party;         // The room of the party; empty without a party.
  int party_size = 1;   // The number of persons in this room.
  std::string network;  // As in Ticket.
  std::string region;   // As in Ticket.
};

// Thread-safe. Every method waits for the store.
class TicketService {
 public:
  TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                QueueCatalog& catalog);

  // Returns the open queues and the bots, as of the last refresh.
  std::shared_ptr<const Catalog> catalog() const { return catalog_.Get(); }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // Puts a player into a queue. Returns NOT_FOUND QUEUE_NOT_FOUND if no open queue has this id, and
  // ALREADY_EXISTS TICKET_EXISTS if the player has a live ticket in the queue. For a ranked queue,
  // also returns FAILED_PRECONDITION LEAVER_PENALTY while the player has a penalty, and
  // MATCHES_MISSING if the player has finished too few matches (Queue::required_matches). For a
  // party, also returns INVALID_ARGUMENT BAD_REQUEST in a ranked queue, and FAILED_PRECONDITION
  // PARTY_TOO_LARGE.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // Returns the ticket that this request of the player has made, if there is one.
  absl::StatusOr<std::optional<TicketView>> FindRequest(PlayerId player, RequestId request);

  // Returns NOT_FOUND TICKET_NOT_FOUND if the player has no such ticket. Cancel, Watch and
  // Explain return the same error.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // Cancels a ticket that waits. Returns FAILED_PRECONDITION TICKET_MATCHED if the ticket has a
  // table, even if the rules service is still making the table.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Cancels all waiting tickets of the player, as Cancel does. Returns their number.
  absl::StatusOr<int> Withdraw(PlayerId player);

  // Closes a queue, or opens it again. Returns the number of cancelled tickets, or NOT_FOUND
  // QUEUE_NOT_FOUND.
  absl::StatusOr<int> SetQueueOpen(const std::string& queue, bool open);

  // Calls `watcher` once with the present view. Later the lobby calls `watcher`, as Watchers::Watch
  // describes.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  // Returns any player's ticket as an operator sees it.
  absl::StatusOr<TicketExplanation> Explain(TicketId id);

  // Closes the tickets of a table whose match is over. `left` are the persons who were away at the
  // end. Also returns OK for an unknown table.
  absl::Status Release(TableId table, std::vector<PlayerId> left = {});

 private:
  // Returns LEAVER_PENALTY or MATCHES_MISSING if the player must not join the ranked queue now.
  absl::Status CheckStanding(PlayerId player, const Queue& queue);

  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  QueueCatalog& catalog_;
};

}  // namespace tarot::matchmaking_service
