// The limits of the ratings service, with units and reasons. Operators set none of them: what an
// operator may set is in service.h.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::ratings_service {

// Number of calls that may wait for a worker. More calls are refused, because their deadlines would
// pass in the queue.
inline constexpr int kWorkerQueueMax = 1'024;

// Number of players in one BatchGetRatings call. The answer has some ten kilobytes.
inline constexpr std::size_t kBatchSizeMax = 200;

// Number of rows of one page.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// The ladder for requests that do not name one: most tables have four players.
inline constexpr int kPlayerCountDefault = 4;

// Number of deals of one match. The rules service allows a tenth of this number, so a larger number
// is a fault.
inline constexpr int kDealCountMax = 1000;
// Number of bytes of a player's name. The rules service allows half of this number.
inline constexpr std::size_t kDisplayNameBytesMax = 256;
// A result may be at most this far in the future, because the clocks of two hosts differ.
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// The number of attempts to store a match. If another match of the same players commits first, the
// match is read, rated and stored again. After the last attempt the rules service sends the result
// again.
inline constexpr int kRecordAttemptsMax = 10;

// Number of matches that Recompute reads by one statement: some hundred kilobytes.
inline constexpr int kMatchesPerRead = 1000;

// The uncertainty of a new player's rating, in rating points. place_deviation_max must be lower,
// because a new player has no place.
inline constexpr double kPriorDeviation = 300;

// Interval at which the players with a rating are counted for the metric. The number changes
// slowly.
inline constexpr absl::Duration kPlayerCountInterval = absl::Seconds(30);

// The number of results in the mean of surprises. The mean must be steady (with this number, a
// tenth of the mean is noise), and it must show a problem that began today.
inline constexpr int kResultsRemembered = 1000;

}  // namespace tarot::ratings_service
