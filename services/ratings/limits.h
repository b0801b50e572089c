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

// The ladder (its number of players) for requests that name no ladder. Most tables have four
// players.
inline constexpr int kPlayerCountDefault = 4;

// Maximum number of deals of one match. The rules service allows only a tenth of this number, so a
// larger number is an error of the caller.
inline constexpr int kDealCountMax = 1000;
// Maximum number of dealt deals of one match, scored or not. The baselines of so many deals take
// less than a second of CPU.
inline constexpr std::size_t kDealtDealsMax = 500;
// Maximum number of bytes of the text about the origin of a season.
inline constexpr std::size_t kProvenanceBytesMax = 1000;
// Maximum number of bytes of a player's name. The rules service allows only half of this number.
inline constexpr std::size_t kDisplayNameBytesMax = 256;
// The time of a match may be at most this far in the future, because the clocks of two machines
// differ.
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// Maximum number of attempts to store a match. An attempt fails if another replica stores a match
// of a new player first, or if a season begins. After the last attempt the call fails, and the
// rules service sends the result again later.
inline constexpr int kRecordAttemptsMax = 10;
// Maximum number of matches in one transaction. It takes some hundred milliseconds at most.
inline constexpr std::size_t kMatchesPerBatch = 256;
// Maximum number of matches that wait to be stored. They wait about two seconds.
inline constexpr std::size_t kMatchesWaitingMax = 4'096;

// A new season makes ratings less certain only after this time, which is longer than kClockSkewMax.
// So if a match was rated before the season, its match time is before this moment, and a
// recomputation rates it in the same way.
inline constexpr absl::Duration kSeasonChangeDelay = absl::Minutes(10);

// A replica reads the seasons again if the last read is older than this.
inline constexpr absl::Duration kSeasonsKept = absl::Seconds(5);

// Maximum number of bytes of the name of an operator, and of the reason of a void.
inline constexpr std::size_t kOperatorBytesMax = 100;
inline constexpr std::size_t kVoidReasonBytesMax = 1000;
// Maximum number of matches that a recomputation reads by one statement. They have some megabytes.
inline constexpr int kMatchesPerRead = 10'000;
// The number of rounds of a recomputation in which matches are recorded meanwhile. The first round
// of a ladder with ten million matches takes some minutes, the second one seconds, and the third
// one less than a tenth of a second.
inline constexpr int kCatchUpRounds = 3;
// Maximum number of attempts to make new matches wait. An attempt takes two seconds.
inline constexpr int kBlockAttemptsMax = 10;

// Interval at which each replica reads the changes of places. So its places are at most this old.
inline constexpr absl::Duration kPlacesAgeMax = absl::Seconds(1);
// Maximum number of standings in one read at the start. They have about two megabytes.
inline constexpr int kStandingsPerRead = 20'000;

// Maximum number of matches in one read of the results of this week. The results of so many matches
// have about a megabyte.
inline constexpr int kResultMatchesPerRead = 5'000;
// The statistics of a player come from this number of matches at most. So many matches have some
// thousand deals.
inline constexpr int kStatisticsMatchesMax = 200;
// Maximum number of bytes of a text to search for. A name has at most 32 characters.
inline constexpr std::size_t kSearchBytesMax = 128;
// Maximum number of players in ListRatingsRequest.players. A player has at most 400 friends.
inline constexpr std::size_t kListedPlayersMax = 500;

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

// Maximum time until a ban ends, and maximum number of bytes of its text for the player.
inline constexpr absl::Duration kBanLifeMax = absl::Hours(10 * 366 * 24);
inline constexpr std::size_t kBanMessageBytesMax = 200;
// Maximum number of bans in one answer.
inline constexpr int kBanPageMax = 1'000;

// The cost of a hash of a passphrase: OWASP's minimum for Argon2id. Measured on a core of the test
// machine, one hash takes 33 ms and 19 MiB. So a person who signs in waits only for a moment, but a
// thief with a copy of the database can try only few passphrases per second.
inline constexpr unsigned kHashRounds = 2;
inline constexpr unsigned kHashKibibytes = 19 * 1024;
// The threads that answer calls about accounts, their nice value, and the number of calls that may
// wait for them. The threads compute about 50 hashes per second on two idle cores, so a call waits
// at most about a second; further calls are refused. With this nice value, the other threads of the
// service run first.
inline constexpr int kAccountThreads = 2;
inline constexpr int kAccountNice = 10;
inline constexpr int kAccountQueueMax = 32;
// Connections to Postgres for accounts: one for each of these threads, and one for lists.
inline constexpr int kAccountConnections = 3;
// Maximum number of bytes of a passphrase, a name or a key of a name. A passphrase has at most 128
// characters.
inline constexpr std::size_t kAccountTextBytesMax = 512;

// Number of results that the moving mean of squared surprises (rating::Surprises) covers. The mean
// is then steady (about a tenth of it is noise) and still shows a problem that began today.
inline constexpr int kResultsRemembered = 1000;

}  // namespace tarot::ratings_service
