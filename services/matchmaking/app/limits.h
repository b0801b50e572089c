// Every limit and period of the matchmaking service.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// These limits are for waves. Friends who queue at the same moment meet in one wave, because an
// extra wave follows a ticket within kLookEvery.
inline constexpr absl::Duration kWaveEvery = absl::Seconds(2);
inline constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// After this time a wave continues without fresh ratings.
inline constexpr absl::Duration kRatingsWaitMax = absl::Seconds(1);

// The rating of a player whose rating is unknown.
inline constexpr int kPriorRating = 1500;
// When more ratings than this are known, all of them are forgotten and asked for again.
inline constexpr std::size_t kRatingsKnownMax = 200'000;

// These limits are for tables. An answer that takes longer than kAnswerMax is lost; this time must
// be longer than kCreateTableTimeout.
inline constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// While a table is younger than this, only the replica that stored it asks for it.
inline constexpr absl::Duration kRetryAge = absl::Seconds(2);
inline constexpr std::size_t kTablesAskedMax = 256;

// These limits are for the population.
inline constexpr absl::Duration kPopulationLookEvery = absl::Seconds(1);
// The pause before a bot queues again is random, so that the bots of one match come back at
// different times.
inline constexpr int kPauseSecondsMax = 6;

// These limits are for calls of other services.
inline constexpr absl::Duration kCreateTableTimeout = absl::Seconds(3);
inline constexpr absl::Duration kGetRatingsTimeout = absl::Milliseconds(800);
inline constexpr std::size_t kRatingsBatchMax = 200;  // The limit of BatchGetRatings.

// Number of tasks that may wait for the background thread.
inline constexpr int kBackgroundQueueMax = 4096;

// These limits are for queues; the rules service has the same ones.
inline constexpr std::size_t kQueueIdBytesMax = 32;
inline constexpr std::size_t kNameBytesMax = 128;
inline constexpr int kDealCountMax = 100;
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
inline constexpr absl::Duration kClockMax = absl::Hours(24);

}  // namespace tarot::matchmaking_service
