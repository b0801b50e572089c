// Defines the data of matchmaking: queues, the bots of the house, tickets, and the tables that the
// rules service must make. room.h has the data of rooms.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/rules/parameters/rule_set.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

using RoomId = Id<struct RoomTag>;

struct MatchTerms {
  // The name of a rule set, or a text that describes a custom rule set.
  std::string rule_set;
  std::optional<rules::RuleSet> rules;  // The values of a custom rule set. Unset for a named rule
                                        // set.
  int deal_count = 1;
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;
  // The proposals that the players may make (TableOptions of the rules service). Both fields are
  // false in the matches of queues.
  bool take_back = false;
  bool breaks = false;

  friend bool operator==(const MatchTerms&, const MatchTerms&) = default;
};

// A queue for one kind of match.
struct Queue {
  std::string id;  // For example "ranked4".
  std::string display_name;
  int player_count = 4;
  MatchTerms terms;
  // The time after which bots fill free seats. Zero means that bots never do.
  absl::Duration bot_fill_delay;
  // The number of matches of queues that a person must have finished before this person may join
  // this queue. It is zero in a casual queue.
  int required_matches = 0;

  friend bool operator==(const Queue&, const Queue&) = default;
};

// A bot of the house: a player with its own name and rating.
struct Bot {
  PlayerId player;
  std::string display_name;
  // "novice", "club" or "strong". For a bot of rooms, also "sociable" or "expert".
  std::string level;

  friend bool operator==(const Bot&, const Bot&) = default;
};

// Returns true if tickets of bots with this level may share a table with tickets of people. Weaker
// bots get tables with bots only.
inline bool SitsWithPeople(const std::string& bot_level) {
  return bot_level != "novice" && bot_level != "club";
}

// The round trip between two regions of players.
struct RoundTrip {
  std::string region, other_region;
  int milliseconds = 0;

  friend bool operator==(const RoundTrip&, const RoundTrip&) = default;
};

// All queues and bots. Operators change them with tarot-apply-queues and with tarotctl admin.
struct Catalog {
  std::vector<Queue> queues;
  std::vector<Bot> bots;  // Sorted by the order in which the bots join the population.
  // Each pair of different regions appears at most once. A pair that is missing has
  // kRoundTripDefault.
  std::vector<RoundTrip> round_trips = {};
  // The number of bots that queue by themselves, if an operator has set it. If it is unset, the
  // option --population has the number.
  std::optional<int> population = std::nullopt;

  friend bool operator==(const Catalog&, const Catalog&) = default;
};

// A ticket keeps the ids of the last tables where its player has played. This is the maximum number
// of these ids.
constexpr std::size_t kLastTables = 3;

enum class TicketState { kWaiting, kPlacing, kMatched, kCancelled, kClosed };

// A ticket is live while it waits and while its match is not over. A player has at most one live
// ticket in a queue.
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
  TableId table;  // The ticket's table; set in the states kPlacing, kMatched and kClosed.
  // The tables where the player has played the last matches of queues before this ticket was
  // created, newest first. If there were fewer matches, the remaining ids are empty.
  std::array<TableId, kLastTables> last_tables;
  // `party` is the room whose persons play as a party; it is empty without a party. `party_size` is
  // the number of persons in the room. Normally both members have the values from the time when the
  // player joined the queue. Only in the waiting tickets that TicketStore::ReadChanges returns,
  // both have the present values: if the room has ended or the player has left it, `party` is empty
  // and `party_size` is 1.
  RoomId party;
  int party_size = 1;
  // The network of the person's client, as the gateway names it. Empty for a bot and for a client
  // on the gateway's machine. The store deletes it when the ticket is matched, cancelled or closed.
  std::string network;
  // The region of the gateway that the person uses. Empty for a bot and if the gateway names none.
  std::string region;

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

// Returns true if the ticket belongs to a person and the person's wait became long (kLongWait)
// after `begin` and not later than `end`.
inline bool WaitBecomesLong(const Ticket& ticket, absl::Time begin, absl::Time end) {
  const absl::Time limit = ticket.create_time + kLongWait;
  return ticket.bot_level.empty() && limit > begin && limit <= end;
}

struct PlannedSeat {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // The level of the bot. Empty for a person.
  // The ticket of the player. Empty for a bot that fills a free seat, and in a match of a room.
  TicketId ticket;

  friend bool operator==(const PlannedSeat&, const PlannedSeat&) = default;
};

// A table that the rules service must make. The table is stored with its terms before it is
// requested for the first time. So every request for this table has the same content.
struct PlannedTable {
  TableId id;
  std::string queue;  // The id of the queue. Empty for the table of a room.
  MatchTerms terms;
  std::vector<PlannedSeat> seats;  // The seats, in the order of play.
  int rating_spread = 0;
  absl::Time create_time;

  friend bool operator==(const PlannedTable&, const PlannedTable&) = default;
};

}  // namespace tarot::matchmaking_service
