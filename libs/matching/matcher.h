// Forms tables from waiting tickets. For each ticket without a table, says why it still waits. The
// code is pure and deterministic: no clock, no I/O, no randomness. The order of the input does not
// matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tarot::matching {

// A player remembers this many tables, and prefers other players than those of these tables.
constexpr std::size_t kLastTables = 3;

struct MatchTicket {
  // A number of this ticket, different from that of any other ticket of the wave. If two tickets
  // have the same create_time, the lower number counts as older.
  std::uint32_t id = 0;
  std::uint32_t player = 0;  // A number of the player, different from that of any other player.
  int rating = 1500;         // In rating points.
  absl::Time create_time;
  bool bot = false;
  // True for a bot that is too weak to play with people, so it sits with bots only.
  bool bots_only = false;
  // Numbers of the last tables of the player. Tickets with the same number sat at the same table. 0
  // means no table.
  std::array<std::uint32_t, kLastTables> last_tables{};
  // The numbers of the players with whom the player does not sit (MakeTables); sorted. A block
  // works in both directions. The caller owns the list. All lists of a wave should be parts of one
  // array.
  absl::Span<const std::uint32_t> blocked;
};

enum class WaitReason {
  kTooFewPlayers,  // Fewer tickets than a table needs are left.
  // No table is possible: spreads are too large, players block each other, or bots must wait for a
  // person.
  kRatingsTooFar,
  kMetJustNow,  // A table fits, but players of it met just before. They may meet again later.
  // The ticket belongs to a party that cannot play yet. MakeTables() knows no parties and never
  // gives this reason.
  kPartyIncomplete,
};

struct WaitingTicket {
  std::size_t ticket = 0;  // Index in the argument of MakeTables().
  int position = 0;        // The place by age among the waiting tickets, from 1.
  int window = 0;          // The largest difference in rating that is allowed now.
  float widening = 1;      // The argument of RatingWindow() that gives this window.
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct MatchedTable {
  // Indices in the argument of MakeTables(), oldest ticket first.
  std::vector<std::size_t> tickets;
  int spread = 0;  // Highest rating minus lowest rating.
};

struct MatchWave {
  std::vector<MatchedTable> tables;    // In the order in which they were formed.
  std::vector<WaitingTicket> waiting;  // All other tickets, sorted by position.
};

// Returns true if one of the two players blocks the other one.
bool BlockBetween(const MatchTicket& a, const MatchTicket& b);

// Returns the largest difference in rating that is allowed after a wait of `age`: 80 points plus 4
// for each second, times `widening`, at most 600.
int RatingWindow(absl::Duration age, float widening = 1);

// Returns how much wider the window of a ticket is where few players have similar ratings: the
// density of ratings around the ticket to the power -1/2, from 1 to 3. `near` of the `size` tickets
// of the wave have a rating that differs by at most kNear points. The density is that of these
// tickets and of 100 more tickets of the prior, which is normal with mean 1500 and standard
// deviation 300. It is 1 at the peak of the prior. So a small wave counts little.
constexpr int kNear = 150;
float Widening(int rating, std::size_t near, std::size_t size);

// Forms tables of `seats` players, at least 2. Serves the tickets by age, the oldest first. For
// this order, ages are rounded down to multiples of two seconds; people come before bots of the
// same rounded age. A ticket gets the possible table with the smallest spread. The spread must not
// exceed the window of any member (RatingWindow, Widening); if the ticket is a person's, the
// windows of bots do not count. A player who met another one at one of
// their last tables needs a window that exceeds the spread by 100 points; a player who met all
// others, by 200 points. A window of 600 points is always wide enough. A person and a bot never
// count as met. If a person gets no table, the bots that
// could sit with this person stay free for tables with people. Two players with a block between
// them get one table only if both have waited for `block_wait` and no table without a block can
// take them; if `block_wait` is infinite, they never do. Takes time in proportion to the number of
// tickets if `tickets` is sorted by age, oldest first.
MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                     absl::Duration block_wait = absl::InfiniteDuration());

}  // namespace tarot::matching
