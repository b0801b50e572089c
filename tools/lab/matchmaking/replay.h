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
  // The wait in the recording. Unset if the player got no table.
  std::optional<absl::Duration> wait;
  std::uint32_t table = 0;  // The number of the table in the recording; 0 if there is none.
};

// Reads a line for each arrival: seconds, player, rating, wait in seconds, table, with commas
// between them. Player and table are any texts. Wait and table may be empty. Ignores a first line
// that begins with a letter. Returns INVALID_ARGUMENT, with the number of the line, for any other
// line. The result is sorted by time and begins at time zero.
absl::StatusOr<std::vector<Arrival>> ReadArrivals(std::istream& in);

// Returns `count` players who come one after the other, each once, with ratings of mean 1500 and
// standard deviation 300.
std::vector<Arrival> RandomArrivals(double arrivals_per_second, int count, std::uint64_t seed);

struct ReplayResult {
  std::vector<double> waits;    // The wait of each player with a table, in seconds.
  std::vector<double> spreads;  // The spread of each table.
  std::size_t unplaced = 0;     // Number of players who still wait at the end.
};

// Returns the waits and spreads of the recorded tables.
ReplayResult RecordedResult(absl::Span<const Arrival> arrivals);

using Matcher =
    std::function<matching::MatchWave(absl::Span<const matching::MatchTicket>, int, absl::Time)>;

// Runs the matcher every two seconds, and for an hour after the last arrival. Players remember
// their last tables. A player who arrives while an older ticket of the same player waits is
// ignored.
ReplayResult Replay(absl::Span<const Arrival> arrivals, int seats, const Matcher& matcher);

// Makes tables of the oldest tickets, first come, first served, whatever their ratings are.
matching::MatchWave FirstComeTables(absl::Span<const matching::MatchTicket> tickets, int seats,
                                    absl::Time now);

}  // namespace tarot::lab
