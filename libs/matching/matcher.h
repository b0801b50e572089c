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

// A ticket has this number of its player's last tables. The matcher prefers players who did not
// meet at these tables.
constexpr std::size_t kLastTables = 3;

struct MatchTicket {
  // The number of the ticket. No other ticket of the wave has this number. If two tickets have the
  // same create_time, the lower number counts as older.
  std::uint32_t id = 0;
  std::uint32_t player = 0;  // The number of the player. No other player has this number.
  int rating = 1500;         // In rating points.
  absl::Time create_time;
  bool bot = false;
  // True for a bot that is too weak to play with people, so it sits with bots only.
  bool bots_only = false;
  // The numbers of the player's last tables. Two tickets with the same number sat at the same
  // table. 0 means no table.
  std::array<std::uint32_t, kLastTables> last_tables{};
  // The number of the network of the player's client. Players with the same number do not share a
  // table. 0 means that the network is unknown or does not matter.
  std::uint32_t network = 0;
  // The numbers of the players whom the player blocks, sorted. MakeTables() keeps two players apart
  // if one of them blocks the other. The caller owns the list. The matcher is faster if all lists
  // of a wave are parts of one array.
  absl::Span<const std::uint32_t> blocked;
};

// The reason why a ticket got no table in a wave.
enum class WaitReason {
  // Fewer tickets than a table needs are left. Bots that must not sit with this ticket do not
  // count.
  kTooFewPlayers,
  kRatingsTooFar,  // Enough tickets are left, but the spread of every table is too large.
  kMetJustNow,     // Every table that fits has players who met just before. They may meet again
                   // later.
  // Every table that fits has players with a block between them. Some may also have met just
  // before.
  kBlocked,
  // Every table that fits has players of the same network. Some may also block each other, or have
  // met just before.
  kSameNetwork,
  kKeptForPeople,  // The ticket is a bot's. The matcher keeps it for a person who waits.
  // The ticket belongs to a party that cannot play yet. MakeTables() knows no parties and never
  // gives this reason.
  kPartyIncomplete,
};

// The rule that forbids a table with two tickets.
enum class Obstacle {
  kNone,  // The two tickets may share a table.
  kRatingsTooFar,
  kMetJustNow,
  kBlocked,
  kSameNetwork,
  kBotsOnly,  // One ticket is a person's, and the other one is a bot's that sits with bots only.
  // One of the two tickets belongs to a party that cannot play yet. Explain() never returns this
  // obstacle.
  kPartyIncomplete,
};

struct WaitingTicket {
  std::size_t ticket = 0;  // The ticket's index in the argument of MakeTables().
  int position = 0;        // The position among the waiting tickets, from 1 for the oldest.
  int window = 0;          // The largest difference in rating that the ticket accepts now.
  float widening = 1;      // `window` is RatingWindow(age, widening).
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct MatchedTable {
  // The indices of the tickets in the argument of MakeTables(), in the order by age that
  // MakeTables() describes.
  std::vector<std::size_t> tickets;
  int spread = 0;  // Highest rating minus lowest rating.
};

struct MatchWave {
  std::vector<MatchedTable> tables;    // The tables, in the order in which the matcher formed them.
  std::vector<WaitingTicket> waiting;  // All other tickets, sorted by position.
};

// Returns true if one of the two players blocks the other one.
bool BlockBetween(const MatchTicket& a, const MatchTicket& b);

// Returns the largest difference in rating that a ticket accepts after a wait of `age`: min(600,
// (80 + 4 * s) * widening) points, where s is the number of whole seconds in `age`.
int RatingWindow(absl::Duration age, float widening = 1);

// Returns the factor by which the window of a ticket is wider because few players have similar
// ratings: sqrt(0.383 / share), but at least 1 and at most 3.
// `near` of the `size` tickets of the wave have ratings within kNear points of `rating`.
// - share = (near + 100 * p) / (size + 100).
// - p = 0.383 * exp(-z * z / 2) with z = (rating - 1500) / 300.
// The prior is a normal distribution with mean 1500 and standard deviation 300, and p is about its
// share within kNear points of `rating`. The prior counts like 100 tickets. So it counts more than
// the tickets of a wave that has fewer than 100.
constexpr int kNear = 150;
float Widening(int rating, std::size_t near, std::size_t size);

// Forms tables of `seats` players, at least 2.
//
// Serves the tickets by age, the oldest first. For this order, ages are rounded down to multiples
// of two seconds; people come before bots of the same rounded age. A ticket gets the possible table
// with the smallest spread. Takes time in proportion to the number of tickets if `tickets` is
// sorted by age, oldest first.
//
// The spread must not exceed the window of any player at the table (RatingWindow, Widening). At a
// table that serves a person's ticket, the windows of bots do not count. If a player met another
// player of the table at one of their last tables, the player's window must exceed the spread by
// 100 points; if the player met all the others, by 200 points. A window of 600 points is always
// wide enough. A meeting of a person and a bot does not count.
//
// If a person gets no table, the bots that could sit with this person form no table without people
// in this wave. Two players with a block between them share a table only if both have waited for
// `block_wait` and both got no table in a first pass, which respects all blocks. If `block_wait` is
// infinite, they never share one. Two players with the same network never share a table.
MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                     absl::Duration block_wait = absl::InfiniteDuration());

// Returns the obstacle between the ticket `anchor`, an index in `tickets`, and each ticket of a
// wave: result[i] is the rule that forbids a table with `anchor` and i, or kNone. If both tickets
// are bots', only tables without people count. result[anchor] is kNone. The other arguments are
// those of MakeTables(). MakeTables() uses the same code for the rules.
std::vector<Obstacle> Explain(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                              absl::Duration block_wait, std::size_t anchor);

}  // namespace tarot::matching
