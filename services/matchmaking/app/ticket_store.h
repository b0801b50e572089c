// The data of matchmaking, and the store that keeps them: queues, the bots of the house, tickets,
// and tables until the rules service has made them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"

namespace tarot::matchmaking_service {

// The terms of a match.
struct MatchTerms {
  std::string rule_set;
  int deal_count = 1;
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;

  friend bool operator==(const MatchTerms&, const MatchTerms&) = default;
};

// A queue for one kind of match.
struct Queue {
  std::string id;  // For example "ranked4".
  std::string display_name;
  int player_count = 4;
  MatchTerms terms;
  absl::Duration bot_fill_delay;  // Zero means that bots never fill free seats.

  friend bool operator==(const Queue&, const Queue&) = default;
};

// A bot of the house: a player with a name and a rating of its own.
struct Bot {
  PlayerId player;
  std::string display_name;
  std::string level;  // "novice", "club" or "strong".

  friend bool operator==(const Bot&, const Bot&) = default;
};

// Returns whether bots of this level sit with people. Weaker bots meet bots only, so that no person
// gets a partner below "strong".
inline bool SitsWithPeople(const std::string& bot_level) {
  return bot_level != "novice" && bot_level != "club";
}

// All queues and bots. Operators change them with tarot-apply-queues.
struct Catalog {
  std::vector<Queue> queues;
  std::vector<Bot> bots;  // In the order in which they join the population.

  friend bool operator==(const Catalog&, const Catalog&) = default;
};

enum class TicketState { kWaiting, kPlacing, kMatched, kCancelled, kClosed };

// The states of a ticket. A player has at most one live ticket in a queue.
constexpr bool IsLive(TicketState state) { return state <= TicketState::kMatched; }

// A player's wish to play in one queue.
struct Ticket {
  TicketId id;
  std::string queue;
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.
  TicketState state = TicketState::kWaiting;
  absl::Time create_time;
  TableId table;       // Set from kPlacing on.
  TableId last_table;  // The table of the player's last match; empty before the first one.

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

struct PlannedSeat {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.
  TicketId ticket;        // Empty for a bot that fills a free seat.

  friend bool operator==(const PlannedSeat&, const PlannedSeat&) = default;
};

// A table that the rules service must make. It is stored with its terms before the first request,
// so that every request for it is the same.
struct PlannedTable {
  TableId id;
  std::string queue;
  MatchTerms terms;
  std::vector<PlannedSeat> seats;  // Sorted by the order of play.
  int rating_spread = 0;
  absl::Time create_time;

  friend bool operator==(const PlannedTable&, const PlannedTable&) = default;
};

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

// Every method may block, on any thread. If it returns UNAVAILABLE STORAGE_AWAY, the change may or
// may not have happened. Each method is one atomic step, so any number of replicas may share a
// store. The implementations share one contract test,
// services/matchmaking/testing/ticket_store_contract.h.
class TicketStore {
 public:
  virtual ~TicketStore() = default;

  // Returns the open queues, ranked ones first, and the bots.
  virtual absl::StatusOr<Catalog> ReadCatalog() = 0;
  // Replaces all queues and bots. A queue that is missing in `catalog` is closed: its waiting
  // tickets are cancelled, and it accepts no new ones.
  virtual absl::Status WriteCatalog(const Catalog& catalog) = 0;

  // Creates a ticket. Returns UNAVAILABLE STORAGE_AWAY also when the queue was closed at the same
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
  // nothing, if one of them does not wait any more, or if a player who would sit without a ticket
  // has a live one.
  virtual absl::StatusOr<bool> Place(const PlannedTable& table) = 0;
  // Returns the placed tables that are neither confirmed nor refused, oldest first.
  virtual absl::StatusOr<std::vector<PlannedTable>> ListPlaced() = 0;
  // Records that the table is made, so its tickets are matched. Returns these tickets; none if the
  // table was confirmed or refused before.
  virtual absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) = 0;
  // Records that the table will not be made, so its tickets wait again and keep their age. Returns
  // these tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) = 0;
  // Records that the match is over, so its tickets are closed. Returns these tickets.
  virtual absl::StatusOr<std::vector<Ticket>> Release(TableId table) = 0;
};

}  // namespace tarot::matchmaking_service
