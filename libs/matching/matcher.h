// Tickets + now -> tables: who plays with whom, and why the others still wait.
// Pure and deterministic: no clock, no I/O, no randomness; the order of the input does not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"

namespace tarot::matching {

struct Ticket {
  TicketId id;
  PlayerId player;
  int rating = 1500;  // Rating points.
  absl::Time create_time;
  bool bot = false;
  bool bots_only = false;         // Sits with bots only: a bot too weak for a person's partner.
  TableId last_table;             // Where the player sat last; empty for nowhere.
  std::vector<PlayerId> blocked;  // Never at one table with them, whoever blocked whom.
};

enum class WaitReason {
  kTooFewPlayers,  // Fewer are left than a table needs.
  kRatingsTooFar,  // No table lies inside its narrowest member's window yet.
  kMetJustNow,     // Only the table of the last match would do; it may meet again, but later.
};

struct Waiting {
  std::size_t ticket = 0;  // Index into the tickets.
  int position = 0;        // By age, from 1.
  int window = 0;          // Rating points to either side.
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct Table {
  std::vector<std::size_t> tickets;  // Indices, oldest ticket first.
  int spread = 0;                    // Highest rating minus lowest.
};

struct Wave {
  std::vector<Table> tables;     // In the order made.
  std::vector<Waiting> waiting;  // Everybody else, by position.
};

// How far the others' ratings may lie from one's own after waiting for `age`: 100 points, opening
// by 4 a second, at most 600.
int RatingWindow(absl::Duration age);

// Serves the oldest ticket first, people before bots of the same age; gives each the table of
// `seats` with the least spread, which must not exceed the narrowest window of its members. The
// players of one last table need a wider window to meet again. `seats` >= 2.
// Bots are company for people: at the table of a person only people's windows count, and bots
// that would sit with a person who still waits are not seated with bots alone.
Wave MakeTables(absl::Span<const Ticket> tickets, int seats, absl::Time now);

}  // namespace tarot::matching
