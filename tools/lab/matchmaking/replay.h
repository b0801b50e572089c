// Replays the arrivals of players with a matcher, to see waits and spreads.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/matching/matcher.h"

namespace tarot::lab {

// A player who begins to wait.
struct Arrival {
  absl::Duration time;  // The time since the start of the replay.
  std::uint32_t player = 0;
  int rating = 1500;
  // The recorded wait; unset if the player got no table.
  std::optional<absl::Duration> wait;
  std::uint32_t table = 0;  // The number of the recorded table; 0 if the player got no table.
};

// Reads one arrival per line: seconds, player, rating, wait in seconds and table, with commas
// between them. Player and table are any texts. Wait and table may be empty. Ignores empty lines,
// and a first line that begins with a letter. Returns INVALID_ARGUMENT, with the number of the
// line, for any other line. The result is sorted by time, and the first arrival has the time zero.
absl::StatusOr<std::vector<Arrival>> ReadArrivals(std::istream& in);

// Returns `count` different players who arrive at random times. Their ratings have mean 1500 and
// standard deviation 300.
std::vector<Arrival> RandomArrivals(double arrivals_per_second, int count, std::uint64_t seed);

struct ReplayResult {
  std::vector<double> waits;    // The wait of each player with a table, in seconds.
  std::vector<double> spreads;  // The spread of each table.
  std::size_t unplaced = 0;     // Number of players without a table.
};

// Returns the waits and spreads of the recorded tables.
ReplayResult RecordedResult(absl::Span<const Arrival> arrivals);

using Matcher =
    std::function<matching::MatchWave(absl::Span<const matching::MatchTicket>, int, absl::Time)>;

// Runs the matcher every two seconds. Ends an hour after the last arrival, or earlier if the last
// player has arrived and fewer than `seats` players wait. Each ticket names the player's last
// tables. Ignores an arrival of a player who waits already.
ReplayResult Replay(absl::Span<const Arrival> arrivals, int seats, const Matcher& matcher);

// Makes tables of the oldest tickets. Ignores ratings.
matching::MatchWave FirstComeTables(absl::Span<const matching::MatchTicket> tickets, int seats,
                                    absl::Time now);

}  // namespace tarot::lab
