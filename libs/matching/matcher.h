// Forms tables from waiting tickets, and gives the reason why each other ticket still waits. The
// code is pure and deterministic: no clock, no I/O, no randomness; the order of the input does not
// matter.
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
  int rating = 1500;  // The unit is a rating point.
  absl::Time create_time;
  bool bot = false;
  // True for a bot that is too weak for people; it sits with bots only.
  bool bots_only = false;
  TableId last_table;  // The last table of the player; empty if there is none.
  // The player never sits with these players. A block works in both directions.
  std::vector<PlayerId> blocked;
};

enum class WaitReason {
  kTooFewPlayers,  // There are fewer free tickets than a table needs.
  kRatingsTooFar,  // The spread of every possible table exceeds the narrowest window.
  kMetJustNow,     // Only the players of the last table fit. They may meet again later.
};

struct WaitingTicket {
  std::size_t ticket = 0;  // Index into the tickets.
  int position = 0;        // The place by age, from 1.
  int window = 0;          // Rating points on each side.
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct MatchedTable {
  std::vector<std::size_t> tickets;  // Indices of the tickets, oldest ticket first.
  int spread = 0;                    // Highest rating minus lowest.
};

struct MatchWave {
  std::vector<MatchedTable> tables;    // Sorted by the order in which they were formed.
  std::vector<WaitingTicket> waiting;  // All other tickets, by position.
};

// Returns the largest allowed difference in rating after a wait of `age`: 100 points plus 4 for
// each second, at most 600.
int RatingWindow(absl::Duration age);

// Serves the oldest ticket first, and people before bots of the same age. Each ticket gets the
// table of `seats` players with the smallest spread. The spread must not exceed the narrowest
// window of the members. Players who sat at one table just before need a wider window to meet
// again. `seats` must be at least 2. At a table with people, only the windows of people count. A
// table of bots alone is formed only if enough other bots stay free to fill a table for each
// waiting person.
MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now);

}  // namespace tarot::matching
