// What matchmaking talks about: queues, tickets, bots, and tables that are being made.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::matchmaking_service {

// A place to wait for one kind of match.
struct Queue {
  std::string id;  // "ranked4"
  std::string display_name;
  int player_count = 4;
  std::string rule_set;
  int deal_count = 1;
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;
  absl::Duration bot_fill_delay;  // Zero: bots never fill it.

  friend bool operator==(const Queue&, const Queue&) = default;
};

// A bot of the house: a player with a name and a rating of its own.
struct Bot {
  PlayerId player;
  std::string display_name;
  std::string level;  // "novice", "club", "strong"
};

// False for the levels that people are spared: a person's partner never plays below "strong".
inline bool SitsWithPeople(const std::string& bot_level) {
  return bot_level != "novice" && bot_level != "club";
}

enum class TicketState { kWaiting, kPlacing, kMatched, kCancelled, kClosed };

// Waiting, placing and matched tickets: a player has at most one in a queue.
constexpr bool IsLive(TicketState state) { return state <= TicketState::kMatched; }

struct Ticket {
  TicketId id;
  std::string queue;
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.
  TicketState state = TicketState::kWaiting;
  absl::Time create_time;
  TableId table;       // From kPlacing on.
  TableId last_table;  // Of the player's match before, if any.

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

struct Seat {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.
  TicketId ticket;        // Empty for a bot that fills a casual table.

  friend bool operator==(const Seat&, const Seat&) = default;
};

// A table as it is asked of the rules service; stored first, so that the same can be asked again.
struct PlannedTable {
  TableId id;
  std::string queue;
  std::vector<Seat> seats;  // In order of play.
  int rating_spread = 0;
  absl::Time create_time;

  friend bool operator==(const PlannedTable&, const PlannedTable&) = default;
};

// Why a ticket still waits.
enum class WaitReason {
  kNone,
  kTooFewPlayers,
  kRatingsTooFar,
  kMakingTable,
  kNextWave,
  kMetJustNow
};

// A ticket and, while it waits, how its waiting goes.
struct TicketView {
  Ticket ticket;
  int position = 0;  // From 1, by age.
  int waiting_count = 0;
  WaitReason wait_reason = WaitReason::kNone;
  int rating_window = 0;

  friend bool operator==(const TicketView&, const TicketView&) = default;
};

}  // namespace tarot::matchmaking_service
