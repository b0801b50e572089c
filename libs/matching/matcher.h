// Forms tables from waiting tickets, and gives the reason why each other ticket still waits.
// Pure and deterministic: no clock, no I/O, no randomness; the order of the input does not matter.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"

namespace tarot::matching {

struct MatchTicket {
  TicketId id;
  PlayerId player;
  int rating = 1500;  // Rating points.
  absl::Time create_time;
  bool bot = false;
  bool bots_only = false;         // A bot too weak for people: it sits with bots only.
  TableId last_table;             // The last table of the player; empty if there is none.
  std::vector<PlayerId> blocked;  // The player never sits with them. A block works both ways.
};

enum class WaitReason {
  kTooFewPlayers,  // Fewer tickets are left than a table needs.
  kRatingsTooFar,  // Every possible table exceeds the narrowest window of its members.
  kMetJustNow,     // Only the players of the last table fit; they meet again later.
};

struct WaitingTicket {
  std::size_t ticket = 0;  // Index into the tickets.
  int position = 0;        // By age, from 1.
  int window = 0;          // In rating points, to either side.
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct MatchedTable {
  std::vector<std::size_t> tickets;  // Indices, oldest ticket first.
  int spread = 0;                    // Highest rating minus lowest.
};

struct MatchWave {
  std::vector<MatchedTable> tables;    // In the order in which they were formed.
  std::vector<WaitingTicket> waiting;  // All other tickets, by position.
};

// Returns the largest allowed difference in rating after a wait of `age`: 100 points, plus 4 a
// second, at most 600.
int RatingWindow(absl::Duration age);

// Serves the oldest ticket first, people before bots of the same age. Each gets the table of
// `seats` with the smallest spread, which must not exceed the narrowest window of its members. The
// players of one last table need a wider window to meet again. `seats` >= 2. Bots keep people
// company: at a table with people only the windows of people count, and enough bots to complete the
// table of each waiting person are not seated with bots alone.
MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now);

}  // namespace tarot::matching
