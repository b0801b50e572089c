// The limits of the ratings service, with units and reasons. No flag changes them; service.h has
// the options with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::ratings_service {

// Maximum number of calls that wait for a worker. Further calls are refused, because their
// deadlines would pass while they wait.
inline constexpr int kWorkerQueueMax = 1'024;

// Maximum number of players in one BatchGetRatings call. The answer then has some ten kilobytes.
inline constexpr std::size_t kBatchSizeMax = 200;

// Default and maximum number of rows of one page.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// The ladder, by its number of players, of requests that name no ladder. Most tables have four
// players.
inline constexpr int kPlayerCountDefault = 4;

// Maximum number of deals of one match. The rules service allows only a tenth of this number, so a
// larger number is a fault.
inline constexpr int kDealCountMax = 1000;
// Maximum number of dealt deals of one match, scored or not. A rules service deals somewhat fewer.
// Their baselines take less than a second of CPU.
inline constexpr std::size_t kDealtDealsMax = 500;
// Maximum number of bytes of the text about the origin of a season.
inline constexpr std::size_t kProvenanceBytesMax = 1000;
// Maximum number of bytes of a player's name. The rules service allows only half of this number.
inline constexpr std::size_t kDisplayNameBytesMax = 256;
// The time of a match may be at most this far in the future, because the clocks of two machines
// differ.
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// Maximum number of attempts to store a match. If another match of one of its players is stored
// first, the service reads the standings and rates the match again. After the last attempt the call
// fails, and the rules service sends the result again later.
inline constexpr int kRecordAttemptsMax = 10;

// A replica shows ratings by the seasons that it has read, for at most this time.
inline constexpr absl::Duration kSeasonsKept = absl::Seconds(5);

// Maximum number of matches that Recompute reads by one statement. They have some hundred
// kilobytes.
inline constexpr int kMatchesPerRead = 1000;

// The places in memory have the matches of other replicas after this time at the latest. Each
// replica reads the changes at this interval.
inline constexpr absl::Duration kPlacesAgeMax = absl::Seconds(1);
// Maximum number of standings in one read at the start. They have about two megabytes.
inline constexpr int kStandingsPerRead = 20'000;

// The uncertainty of a new player's rating, in rating points. The option place_deviation_max must
// be lower, because a new player has no place on the leaderboard.
inline constexpr double kPriorDeviation = 300;

// Interval at which the service counts the players with a rating for the metric
// tarot_ratings_players. The number changes slowly.
inline constexpr absl::Duration kPlayerCountInterval = absl::Seconds(30);

// Maximum number of revocations in the store. A gateway holds all of them in about 60 MB.
inline constexpr int kRevocationsMax = 1'000'000;
// Maximum time until a revoked token expires. The gateway's longest token_life is a day shorter.
inline constexpr absl::Duration kRevocationLifeMax = absl::Hours(367 * 24);
// Maximum number of revocations in one answer, which then has some 400 kilobytes.
inline constexpr int kRevocationPageMax = 5'000;
// For this time after a person's last ranked match, no new guest gets the person's name.
inline constexpr absl::Duration kRankedNameLife = absl::Hours(30 * 24);
// Maximum number of names in one answer. Most names have some ten bytes.
inline constexpr int kNamePageMax = 5'000;
// Interval at which the service removes expired revocations, and the maximum number that one
// statement removes.
inline constexpr absl::Duration kRevocationRemovalInterval = absl::Minutes(10);
inline constexpr int kRevocationsPerRemoval = 10'000;

// The moving mean of squared surprises covers about this many results. With this number, the mean
// is steady (about a tenth of it is noise) and still shows a problem that began today.
inline constexpr int kResultsRemembered = 1000;

}  // namespace tarot::ratings_service
