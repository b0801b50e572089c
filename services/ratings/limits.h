// Defines the limits of the ratings service, with units and reasons. No flag changes these limits;
// service.h has the options with flags.
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

// The ladder (its number of players) for requests that name no ladder. It is the ladder of four
// players, because most tables have four.
inline constexpr int kPlayerCountDefault = 4;

// Maximum number of scored deals of one match. The rules service allows only a tenth of this
// number, so a larger number is an error of the caller.
inline constexpr int kDealCountMax = 1000;
// Maximum number of deals of one match whose cards are sent. Deals without a score count too. The
// baselines of this number of deals take less than a second of CPU time.
inline constexpr std::size_t kDealtDealsMax = 500;
// Maximum number of bytes of Season::provenance.
inline constexpr std::size_t kProvenanceBytesMax = 1000;
// Maximum number of bytes of a player's name. The rules service allows only half of this number.
inline constexpr std::size_t kDisplayNameBytesMax = 256;
// The time of a match may be later than now by at most this difference, because the clocks of two
// machines differ.
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// Maximum number of attempts to store a match. An attempt fails if another call has stored the
// match first, or a match of the same new player. It also fails if a season begins. After the last
// attempt the call fails, and the rules service sends the result again later.
inline constexpr int kRecordAttemptsMax = 10;
// Maximum number of matches in one transaction. Such a transaction takes some hundred milliseconds.
inline constexpr std::size_t kMatchesPerBatch = 256;
// Maximum number of matches that wait to be stored. If this number of matches wait, the last match
// waits about two seconds.
inline constexpr std::size_t kMatchesWaitingMax = 4'096;

// The time from the start of a season until the season makes ratings less certain. A match that was
// rated before the start may have a match time up to kClockSkewMax after the start, because another
// machine's clock gave this time. The delay is longer, so a recomputation, too, rates this match
// without the change.
inline constexpr absl::Duration kSeasonChangeDelay = absl::Minutes(10);

// If the last read of the seasons is older than this, a replica reads the seasons again.
inline constexpr absl::Duration kSeasonsKept = absl::Seconds(5);

// Maximum number of bytes of the name of an operator, and of the reason of a ResultVoid.
inline constexpr std::size_t kOperatorBytesMax = 100;
inline constexpr std::size_t kVoidReasonBytesMax = 1000;
// Maximum number of matches that a recomputation reads by one statement. This number of matches
// takes some megabytes.
inline constexpr int kMatchesPerRead = 10'000;
// The number of rounds of a recomputation during which matches are still recorded. With ten million
// matches on a ladder, the first round takes some minutes. The second round takes some seconds, and
// the third round takes less than a tenth of a second.
inline constexpr int kCatchUpRounds = 3;
// Maximum number of attempts to make new matches wait. An attempt takes at most two seconds.
inline constexpr int kBlockAttemptsMax = 10;

// Interval at which each replica reads the changes of places. So the places in a replica are at
// most this old.
inline constexpr absl::Duration kPlacesAgeMax = absl::Seconds(1);
// If the database has not answered for this time, the service is not ready.
inline constexpr absl::Duration kAnswerAgeMax = absl::Seconds(5);
// Maximum number of standings in one read at the start. This number of standings takes about two
// megabytes.
inline constexpr int kStandingsPerRead = 20'000;

// Maximum number of matches in one read of the results of this week. The results of this number of
// matches take about a megabyte.
inline constexpr int kResultMatchesPerRead = 5'000;
// The statistics of a player come from at most this number of matches, which have some thousand
// deals.
inline constexpr int kStatisticsMatchesMax = 200;
// Maximum number of bytes of a text to search for. A name has at most 32 characters, and a
// character at most 4 bytes.
inline constexpr std::size_t kSearchBytesMax = 128;
// Maximum number of players in ListRatingsRequest.players. A player has at most 400 friends.
inline constexpr std::size_t kListedPlayersMax = 500;

// The uncertainty of a new player's rating, in rating points. A new player must have no place on
// the leaderboard, so the option place_deviation_max must be lower.
inline constexpr double kPriorDeviation = 300;

// Interval at which the service counts the players with a rating, for the metric
// tarot_ratings_players. The number changes slowly.
inline constexpr absl::Duration kPlayerCountInterval = absl::Seconds(30);

// Maximum number of revocations in the store. A gateway holds all of them in about 60 MB.
inline constexpr int kRevocationsMax = 1'000'000;
// Maximum time until a revoked token expires. The gateway's longest token_life is one day shorter
// than this time.
inline constexpr absl::Duration kRevocationLifeMax = absl::Hours(367 * 24);
// Maximum number of revocations in one answer, which then has about 400 kilobytes.
inline constexpr int kRevocationPageMax = 5'000;
// For this time after a person's last ranked match, no new guest gets the person's name.
inline constexpr absl::Duration kRankedNameLife = absl::Hours(30 * 24);
// Maximum number of names in one answer, which then has some ten kilobytes.
inline constexpr int kNamePageMax = 5'000;
// Interval at which the service removes expired revocations, and maximum number of revocations that
// one statement removes.
inline constexpr absl::Duration kRevocationRemovalInterval = absl::Minutes(10);
inline constexpr int kRevocationsPerRemoval = 10'000;

// Maximum time until a ban ends, and maximum number of bytes of its text for the player.
inline constexpr absl::Duration kBanLifeMax = absl::Hours(10 * 366 * 24);
inline constexpr std::size_t kBanMessageBytesMax = 200;
// Maximum number of bans in one answer.
inline constexpr int kBanPageMax = 1'000;

// The cost of a hash of a passphrase is OWASP's minimum for Argon2id. On a core of the test
// machine, one hash takes 33 ms and 19 MiB. A person who signs in does not notice this time. But a
// thief with a copy of the database can try only a few passphrases per second.
inline constexpr unsigned kHashRounds = 2;
inline constexpr unsigned kHashKibibytes = 19 * 1024;
// The number of threads for calls about accounts, the nice value of these threads, and the maximum
// number of calls that wait for them. On two idle cores, these threads compute about 50 hashes per
// second, so a call waits less than a second. Further calls are refused. The nice value gives these
// threads a low priority, so the other threads of the service run first.
inline constexpr int kAccountThreads = 2;
inline constexpr int kAccountNice = 10;
inline constexpr int kAccountQueueMax = 32;
// The number of connections to Postgres for calls about accounts. Each of these kAccountThreads has
// one connection, and the methods that compute no hash share one more.
inline constexpr int kAccountConnections = 3;
// Maximum number of bytes of a passphrase, a name or a key of a name. A passphrase has at most 128
// characters.
inline constexpr std::size_t kAccountTextBytesMax = 512;

// A metric shows a moving mean of the squares of surprises (rating::Surprises). The mean covers
// this number of results. About a tenth of the mean is then noise, but the mean still shows a
// problem that began today.
inline constexpr int kResultsRemembered = 1000;

}  // namespace tarot::ratings_service
