// Forms tables from waiting tickets. If a ticket gets no table, says why it still waits. The code
// is pure and deterministic: no clock, no I/O, no randomness. The order of the input does not
// matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tarot::matching {

// The round trips between the regions of a platform, in milliseconds. A region has a number from 1.
// 0 is the unknown region.
class RoundTrips {
 public:
  RoundTrips() = default;
  // `regions` is the highest number of a region, at most 255.
  explicit RoundTrips(std::size_t regions) : size_(regions + 1), ms_(size_ * size_, 0) {}

  // Sets the round trip between two different regions, in both directions.
  void Set(std::uint8_t a, std::uint8_t b, int ms) {
    ms_[a * size_ + b] = ms;
    ms_[b * size_ + a] = ms;
  }
  // Returns 0 if both regions are the same, or if one of them is unknown.
  int Between(std::uint8_t a, std::uint8_t b) const {
    return a < size_ && b < size_ ? ms_[a * size_ + b] : 0;
  }

 private:
  std::size_t size_ = 0;
  std::vector<int> ms_;
};

// A ticket names its player's last tables, at most this many. The matcher prefers players who did
// not meet at these tables.
constexpr std::size_t kLastTables = 3;

struct MatchTicket {
  // The number of the ticket. No other ticket of the wave has this number. If two tickets have the
  // same create_time, the lower number counts as older.
  std::uint32_t id = 0;
  std::uint32_t player = 0;  // The number of the player. No other player has this number.
  int rating = 1500;         // In rating points.
  absl::Time create_time;
  bool bot = false;
  // True for a bot that is too weak to play with people. It sits only with other bots.
  bool bots_only = false;
  // The numbers of the player's last tables. If two tickets have the same number, their players sat
  // at the same table. 0 means no table.
  std::array<std::uint32_t, kLastTables> last_tables{};
  // The number of the network of the player's client. Players with the same number do not share a
  // table. 0 means that the network is unknown or does not matter.
  std::uint32_t network = 0;
  // The number of the region of the player's client in RoundTrips. 0 means that it is unknown.
  std::uint8_t region = 0;
  // The numbers of the players whom the player blocks, sorted. MakeTables() keeps two players apart
  // if one of them blocks the other. The caller owns the list. The matcher is faster if all lists
  // of a wave are parts of one array.
  absl::Span<const std::uint32_t> blocked;
};

// The reason why a ticket got no table in a wave.
enum class WaitReason {
  // The tickets that are left are too few for a table. Bots that must not sit with this ticket do
  // not count.
  kTooFewPlayers,
  kRatingsTooFar,  // Enough tickets are left, but the spread of every table is too large.
  kMetJustNow,     // Every table that fits has players who met just before. These players may meet
                   // again later.
  // Every table that fits has players of distant regions. Some may also have met just before.
  kFarAway,
  // Every table that fits has players with a block between them. Some may also have met just
  // before, or be of distant regions.
  kBlocked,
  // Every table that fits has players of the same network. Some may also block each other, have met
  // just before, or be of distant regions.
  kSameNetwork,
  kKeptForPeople,  // The ticket belongs to a bot. The matcher keeps this bot free for a person who
                   // waits.
  // The ticket belongs to a party that cannot play yet. MakeTables() knows no parties and never
  // gives this reason.
  kPartyIncomplete,
};

// The rule that forbids a table with two tickets.
enum class Obstacle {
  kNone,  // The two tickets may share a table.
  kRatingsTooFar,
  kMetJustNow,
  kFarAway,
  kBlocked,
  kSameNetwork,
  // One ticket belongs to a person. The other ticket belongs to a bot that sits only with bots.
  kBotsOnly,
  // MakeTables() knows no parties, so Explain() never returns the two obstacles below. They mean:
  // one of the two tickets belongs to a party that cannot play yet; or the parties of both tickets
  // have together more players than a table has seats.
  kPartyIncomplete,
  kPartyTooLarge,
};

struct WaitingTicket {
  std::size_t ticket = 0;  // The ticket's index in the argument of MakeTables().
  int position = 0;        // The position among the waiting tickets, from 1 for the oldest.
  int window = 0;          // The largest difference in rating that the ticket accepts now.
  float widening = 1;      // `window` is RatingWindow(age, widening).
  WaitReason reason = WaitReason::kTooFewPlayers;
};

struct MatchedTable {
  // The indices of the tickets in the argument of MakeTables(), oldest ticket first. MakeTables()
  // describes this order.
  std::vector<std::size_t> tickets;
  int spread = 0;  // Highest rating minus lowest rating.
};

struct MatchWave {
  std::vector<MatchedTable> tables;    // The tables, in the order in which the matcher formed them.
  std::vector<WaitingTicket> waiting;  // All other tickets, sorted by position.
};

// Returns true if at least one of the two players blocks the other player.
bool BlockBetween(const MatchTicket& a, const MatchTicket& b);

// Returns the largest difference in rating that a ticket accepts after a wait of `age`. This is
// min(600, (80 + 4 * s) * widening) points, where s is the number of whole seconds in `age`.
int RatingWindow(absl::Duration age, float widening = 1);

// Returns the factor by which a ticket's window is wider because few players have similar ratings.
// `near` of the `size` tickets of the wave have ratings within kNear points of `rating`. The factor
// is sqrt(0.383 / share), but at least 1 and at most 3. Here:
// - share = (near + 100 * p) / (size + 100);
// - p = 0.383 * exp(-z * z / 2), with z = (rating - 1500) / 300.
// The prior is a normal distribution with mean 1500 and standard deviation 300. p is about the
// share of the prior within kNear points of `rating`. The prior counts as much as 100 tickets. So
// if the wave has fewer than 100 tickets, the prior counts more than these tickets.
constexpr int kNear = 150;
float Widening(int rating, std::size_t near, std::size_t size);

// Forms tables of `seats` players, at least 2.
//
// Serves the tickets by age, the oldest first. For this order, ages are rounded down to multiples
// of two seconds. Among tickets of the same rounded age, people come before bots. A ticket gets the
// possible table with the smallest spread. If `tickets` is sorted by age, oldest first, the time
// grows in proportion to the number of tickets.
//
// The spread must not exceed the window of any player at the table (RatingWindow, Widening). At a
// table that serves a person's ticket, the windows of bots do not count. Players who met at one of
// their last tables need wider windows. If a player met another player of the table, the player's
// window must exceed the spread by 100 points. If the player met all the others, it must exceed the
// spread by 200 points. A window of 600 points is always wide enough. A meeting of a person and a
// bot does not count.
//
// The longest round trip between two regions of the table counts like a larger spread: each
// millisecond is a rating point. So the window of each player must exceed the spread by this number
// of points too, but a window of 600 points is always wide enough.
//
// If a person gets no table, the bots that could sit with this person form no table without people
// in this wave. Players with a block between them share no table in the first pass. In the second
// pass, two of them may share a table if both have waited for `block_wait` and both are still
// without a table. If `block_wait` is infinite, they never share a table. Two players with the same
// network never share a table.
MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                     absl::Duration block_wait = absl::InfiniteDuration(),
                     const RoundTrips& round_trips = {});

// Returns the obstacles of one ticket. `anchor` is the index of this ticket in `tickets`. result[i]
// is the rule that forbids a table with this ticket and ticket i, or kNone. If both tickets belong
// to bots, the function looks only at tables without people. result[anchor] is kNone. The other
// arguments are those of MakeTables(), which uses the same code for the rules.
std::vector<Obstacle> Explain(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                              absl::Duration block_wait, std::size_t anchor,
                              const RoundTrips& round_trips = {});

}  // namespace tarot::matching
