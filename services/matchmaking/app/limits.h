// Every limit and period of the matchmaking service.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// Waves. Friends who press the button together are seen together, because an extra wave follows a
// ticket within kLookEvery.
inline constexpr absl::Duration kWaveEvery = absl::Seconds(2);
inline constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// After this a wave goes on without fresh ratings.
inline constexpr absl::Duration kRatingsWaitMax = absl::Seconds(1);

// The rating of a player whose rating is unknown.
inline constexpr int kPriorRating = 1500;
// When more ratings than this are known, all are forgotten and asked for again.
inline constexpr std::size_t kRatingsKnownMax = 200'000;

// Tables. An answer that takes longer than kAnswerMax is lost; it is longer than
// kCreateTableTimeout.
inline constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// Only the replica that stored a table asks for it while the table is younger than this.
inline constexpr absl::Duration kRetryAge = absl::Seconds(2);
inline constexpr std::size_t kTablesAskedMax = 256;

// The population.
inline constexpr absl::Duration kPopulationLookEvery = absl::Seconds(1);
// The pause before a bot queues again is random, so that the players of one match come back apart.
inline constexpr int kPauseSecondsMax = 6;

// Calls of other services.
inline constexpr absl::Duration kCreateTableTimeout = absl::Seconds(3);
inline constexpr absl::Duration kGetRatingsTimeout = absl::Milliseconds(800);
inline constexpr std::size_t kRatingsBatchMax = 200;  // The limit of BatchGetRatings.

// Tasks that wait for the background thread.
inline constexpr int kBackgroundQueueMax = 4096;

// Queues, as the rules service accepts them.
inline constexpr std::size_t kQueueIdBytesMax = 32;
inline constexpr std::size_t kNameBytesMax = 128;
inline constexpr int kDealCountMax = 100;
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
inline constexpr absl::Duration kClockMax = absl::Hours(24);

}  // namespace tarot::matchmaking_service
