// The limits of the matchmaking service, with units and reasons. Operators set none of them: what
// an operator may set is in service.h.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// Number of calls that may wait for a worker. More calls are refused, because their deadlines would
// pass in the queue.
inline constexpr int kWorkerQueueMax = 4'096;

// Number of tasks that may wait for the background thread. There are never more timers and answers
// of other services at one time.
inline constexpr int kBackgroundQueueMax = 4096;

// Interval of the waves. A player does not wait long for a wave, but several tickets can come
// between two waves.
inline constexpr absl::Duration kWaveEvery = absl::Seconds(2);
// An extra wave follows a ticket within this time, so friends who queue at the same moment meet in
// one wave.
inline constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// After this time a wave continues without fresh ratings.
inline constexpr absl::Duration kRatingsWaitMax = absl::Seconds(1);

// The rating, in rating points, of a player whose rating is unknown. New players have the same
// rating.
inline constexpr int kPriorRating = 1500;
// Number of ratings in memory: some megabytes. When more ratings are known, all of them are
// forgotten and asked for again.
inline constexpr std::size_t kRatingsKnownMax = 200'000;

// If an answer about a table takes longer than this, it counts as lost. The time must be longer
// than kCreateTableTimeout.
inline constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// While a table is younger than this, only the replica that stored it asks for it.
inline constexpr absl::Duration kRetryAge = absl::Seconds(2);
// Number of tables that are requested from rules at the same time. The rules service can queue far
// more requests.
inline constexpr std::size_t kTablesAskedMax = 256;

// Interval at which bots of the population that neither wait nor play queue again.
inline constexpr absl::Duration kPopulationLookEvery = absl::Seconds(1);
// Longest pause before a bot queues again, in seconds. The pause is random, so that the bots of one
// match come back at different times.
inline constexpr int kPauseSecondsMax = 6;

// Time limit for rules to make a table. Rules needs some milliseconds, and the request is repeated.
inline constexpr absl::Duration kCreateTableTimeout = absl::Seconds(3);
// Time limit for ratings. It is shorter than kRatingsWaitMax, after which no wave needs the answer.
inline constexpr absl::Duration kGetRatingsTimeout = absl::Milliseconds(800);
// Number of players in one BatchGetRatings; ratings has this limit.
inline constexpr std::size_t kRatingsBatchMax = 200;

// The next limits are for queues. The rules service has the same limits, except the limit for ids.

// Number of bytes of an id. Ids are parts of names that people read and type.
inline constexpr std::size_t kQueueIdBytesMax = 32;
// Number of bytes of a display name. They hold 32 characters of four bytes each.
inline constexpr std::size_t kNameBytesMax = 128;
// Number of deals of one match.
inline constexpr int kDealCountMax = 100;
// Shortest time for a move, and longest time for a move or a time bank.
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
inline constexpr absl::Duration kClockMax = absl::Hours(24);

}  // namespace tarot::matchmaking_service
