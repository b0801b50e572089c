// Declares TicketService, which has the use cases of queues. A player joins or leaves a queue, and
// reads or watches a ticket. The rules service reports that a match is over. TicketStore is the
// interface of the store.
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
#include "services/matchmaking/app/upstreams.h"

namespace tarot::matchmaking_service {

struct NewTicket {
  TicketId id;
  std::string queue;
  PlayerId player;
  std::string display_name;
  std::string bot_level;
  RequestId request_id;
  absl::Time create_time;
  RoomId party;  // The room of the party. Empty without a party.
  int party_size = 1;
  std::string network;  // As in Ticket.
  std::string region;   // As in Ticket.
};

struct CreatedTicket {
  enum class Outcome {
    kCreated,
    // An earlier copy of this request has already made `ticket`.
    kReplayed,
    kHasAnother,  // The player already has a live ticket in this queue, `ticket`.
  };
  Outcome outcome = Outcome::kCreated;
  Ticket ticket;
};

struct TicketChange {
  // The changed ticket. If the ticket waits, `party` and `party_size` have the present values (see
  // Ticket).
  Ticket ticket;
  std::vector<PlayerId> blocked;  // For a waiting ticket: the players whom its player blocks.

  friend bool operator==(const TicketChange&, const TicketChange&) = default;
};

struct TicketChanges {
  std::vector<TicketChange> tickets;
  // The cursor for the next read. A cursor becomes smaller only if the database was restored from a
  // copy.
  std::uint64_t next_cursor = 0;
};

// A match that is over.
struct FinishedMatch {
  TableId table;
  std::vector<PlayerId> left = {};  // The persons who were away at the end of the match.
  absl::Time time = absl::UnixEpoch();
};

// Returns how the match ended for `player`. `player` must be one of `persons`.
EndOfMatch EndFor(PlayerId player, absl::Span<const PlayerId> persons, const FinishedMatch& match,
                  bool ranked);

// The store of tickets, tables and the catalog. Any thread may call it. Every method may block. If
// a method returns UNAVAILABLE STORAGE_AWAY, it is unknown whether its change was made. Each method
// is one atomic step, so any number of replicas may share a store. All implementations pass one
// contract test, services/matchmaking/testing/ticket_store_contract.h.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  // Returns the open queues, the bots and the population. Ranked queues come first.
  virtual absl::StatusOr<Catalog> ReadCatalog() = 0;
  // Replaces all queues and bots, but not the population. If a queue is missing in `catalog`, it is
  // removed: its waiting tickets are cancelled, and it accepts no new tickets. A queue that an
  // operator has closed stays closed. The waiting tickets of a party are cancelled too, if their
  // queue is now ranked or has too few seats for the party.
  virtual absl::Status WriteCatalog(const Catalog& catalog) = 0;
  // Returns the ids of the queues that an operator has closed.
  virtual absl::StatusOr<std::vector<std::string>> ListClosedQueues() = 0;
  // Closes a queue, or opens it again. A closed queue accepts no tickets, and its waiting tickets
  // are cancelled. Returns the cancelled tickets, or NOT_FOUND if the catalog has no such queue.
  virtual absl::StatusOr<std::vector<Ticket>> SetQueueOpen(const std::string& queue, bool open) = 0;
  // Stores the number that Catalog::population returns later.
  virtual absl::Status SetPopulation(int population) = 0;

  // Creates a ticket. If no open queue has this id, or if another ticket of the player ends at the
  // same moment, returns UNAVAILABLE STORAGE_AWAY.
  virtual absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) = 0;
  // Returns the ticket that this request of the player has made, if there is one.
  virtual absl::StatusOr<std::vector<Ticket>> FindRequest(PlayerId player, RequestId request) = 0;
  // Returns the tickets with these ids, in any order. Leaves out tickets that do not exist.
  virtual absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) = 0;
  // Cancels the ticket if it waits. If the ticket belongs to a party, and `player` still sits in
  // the room of this party, also cancels the waiting tickets of the others in the same queue.
  // Deletes the older cancelled tickets of all these players. Returns the ticket after the change.
  // If the player has no such ticket, returns NOT_FOUND.
  virtual absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) = 0;
  // Returns the player's live tickets: those that wait, or whose match is not over.
  virtual absl::StatusOr<std::vector<Ticket>> ListLive(PlayerId player) = 0;
  // Returns the tickets that have changed since the read that returned `cursor`, in any order. The
  // cursor 0 returns all waiting tickets. The result may also have tickets that have not changed,
  // but it never has deleted tickets. A waiting ticket also counts as changed in two cases: the
  // persons of its party change, or its player blocks or unblocks another player.
  virtual absl::StatusOr<TicketChanges> ReadChanges(std::uint64_t cursor) = 0;
  virtual absl::StatusOr<std::vector<Ticket>> ListLiveBots() = 0;

  // Stores tables, and moves their tickets from kWaiting to kPlacing. Leaves out a table if one of
  // its tickets no longer waits, or if a bot that fills a free seat has a live ticket. Returns the
  // tables that it has stored.
  virtual absl::StatusOr<std::set<TableId>> Place(absl::Span<const PlannedTable> tables) = 0;
  // Returns the stored tables that have no answer of the rules service and are not over, oldest
  // first. So none of Confirm, Refuse and Release was called for them.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // Stores that the rules service has made the tables, and moves their tickets to kMatched.
  // Returns these tickets. If a table already has an answer, leaves out this table.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(absl::Span<const TableId> tables) = 0;
  // Stores that the rules service has refused the tables. Their tickets wait again and keep their
  // age. Returns these tickets. If a table already has an answer, leaves out this table.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(absl::Span<const TableId> tables) = 0;
  // Stores that the match is over, and moves its tickets to kClosed. Returns these tickets. If the
  // table belongs to a queue, counts the match in the standings of its persons (AfterMatch). A
  // second call for the same table changes nothing.
  virtual absl::StatusOr<std::vector<Ticket>> Release(const FinishedMatch& match) = 0;
  // Returns the standing of a person. The standing is empty if the person has finished no match.
  virtual absl::StatusOr<Standing> GetStanding(PlayerId player) = 0;
};

struct Joining {
  PlayerId player;
  std::string display_name;
  std::string queue;
  RequestId request_id;
  RoomId party;         // The room of the party. Empty without a party.
  int party_size = 1;   // The number of persons in this room.
  std::string network;  // As in Ticket.
  std::string region;   // As in Ticket.
};

// Thread-safe. Every method waits for the store.
class TicketService {
 public:
  TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                QueueCatalog& catalog, MatchEnds& match_ends);

  // Returns the open queues and the bots that the last refresh has read.
  std::shared_ptr<const Catalog> catalog() const { return catalog_.Get(); }
  int WaitingCount(const Queue& queue) const { return lobby_.WaitingCount(queue.id); }

  // Puts a player into a queue. Returns NOT_FOUND QUEUE_NOT_FOUND if no open queue has this id, and
  // ALREADY_EXISTS TICKET_EXISTS if the player has a live ticket in the queue. For a ranked queue,
  // also returns FAILED_PRECONDITION LEAVER_PENALTY while the player has a penalty, and
  // MATCHES_MISSING if the player has finished too few matches (Queue::required_matches). For a
  // party, also returns INVALID_ARGUMENT BAD_REQUEST in a ranked queue, and FAILED_PRECONDITION
  // PARTY_TOO_LARGE.
  //
  // Before Create returns TICKET_EXISTS or MATCHES_MISSING, it asks the rules service whether a
  // match of the player is over. If so, Create closes the tickets of this match as Release does,
  // and tries again. So the player can queue at once, even if the call of Release is late.
  absl::StatusOr<TicketView> Create(const Joining& joining);

  // Returns the ticket that this request of the player has made, if there is one.
  absl::StatusOr<std::optional<TicketView>> FindRequest(PlayerId player, RequestId request);

  // If the player has no such ticket, returns NOT_FOUND TICKET_NOT_FOUND. Cancel, Watch and Explain
  // return the same error.
  absl::StatusOr<TicketView> Get(PlayerId player, TicketId id);

  // Cancels a ticket that waits. If the ticket has a table, returns FAILED_PRECONDITION
  // TICKET_MATCHED. This also applies while the rules service is still making the table.
  absl::StatusOr<TicketView> Cancel(PlayerId player, TicketId id);

  // Cancels all waiting tickets of the player, as Cancel does. Returns their number.
  absl::StatusOr<int> Withdraw(PlayerId player);

  // Closes a queue, or opens it again. Returns the number of cancelled tickets. If there is no such
  // queue, returns NOT_FOUND QUEUE_NOT_FOUND.
  absl::StatusOr<int> SetQueueOpen(const std::string& queue, bool open);

  // Calls `watcher` once with the present view. After that, the lobby calls `watcher` as
  // Watchers::Watch describes.
  absl::Status Watch(PlayerId player, TicketId id,
                     const std::shared_ptr<const Lobby::Watcher>& watcher);

  // Returns the ticket of any player, in the form that an operator sees.
  absl::StatusOr<TicketExplanation> Explain(TicketId id);

  // Closes the tickets of a table whose match is over. `left` are the persons who were away at the
  // end of the match. If the table is unknown, also returns OK.
  absl::Status Release(TableId table, std::vector<PlayerId> left = {});

  // Asks the rules service whether the match of `table` is over, and if so, does what Release does.
  // Returns true if the match is over. Returns false if the rules service does not answer.
  absl::StatusOr<bool> ReleaseIfOver(TableId table);

 private:
  // Does the same as Create, but knows only the ends of matches that Release has reported.
  absl::StatusOr<TicketView> CreateNow(const Joining& joining);
  // Releases the tables of the player whose match is over. Returns true if it has released one, or
  // if the player has no ticket in `queue`.
  absl::StatusOr<bool> ReleaseFinished(PlayerId player, const std::string& queue);
  // Returns LEAVER_PENALTY or MATCHES_MISSING if the player must not join the ranked queue now.
  absl::Status CheckStanding(PlayerId player, const Queue& queue);

  Clock& clock_;
  Entropy& entropy_;
  TicketStore& store_;
  Lobby& lobby_;
  QueueCatalog& catalog_;
  MatchEnds& match_ends_;
};

}  // namespace tarot::matchmaking_service
