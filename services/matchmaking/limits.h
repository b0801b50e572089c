// The limits of the matchmaking service, with units and reasons. No flag changes them; service.h
// has the options with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// Maximum number of calls that wait for a worker. Further calls are refused, because their
// deadlines would pass while they wait.
inline constexpr int kWorkerQueueMax = 4'096;

// Maximum number of tasks that wait for the background thread. Timers and answers of other services
// never need more.
inline constexpr int kBackgroundQueueMax = 4096;

// Interval of the waves. It is short enough for a player who waits, and long enough for several
// tickets to come between two waves.
inline constexpr absl::Duration kWaveEvery = absl::Seconds(2);
// Interval at which the service looks for new tickets. If they can complete a table, a wave begins
// at once. So friends who queue at the same moment meet in one wave.
inline constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// A wave waits at most this long for ratings. Then it continues with the ratings that it knows.
inline constexpr absl::Duration kRatingsWaitMax = absl::Seconds(1);

// The rating, in rating points, that a player has here while the real rating is unknown. It is also
// the rating of new players.
inline constexpr int kPriorRating = 1500;
// Maximum number of ratings in memory. They take some megabytes. Above this number, the service
// forgets all ratings and asks for them again.
inline constexpr std::size_t kRatingsKnownMax = 200'000;

// If the answer to a request for a table takes longer than this, it counts as lost. This time must
// be longer than kCreateTableTimeout.
inline constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// While a stored table is younger than this, only the replica that stored it requests it from
// rules.
inline constexpr absl::Duration kRetryAge = absl::Seconds(2);
// Maximum number of tables that one replica requests from rules at the same time. The rules service
// can queue far more requests.
inline constexpr std::size_t kTablesAskedMax = 256;

// The level of the bots that fill the free seats of casual tables. It bids like people
// (docs/bots.md), so these tables pass out fewer deals.
inline constexpr char kCasualBotLevel[] = "sociable";

// Interval at which the service looks for bots of the population that neither wait nor play. Such a
// bot begins a pause and then queues again.
inline constexpr absl::Duration kPopulationLookEvery = absl::Seconds(1);
// A bot's pause before it queues again is a random number of whole seconds below this limit. So the
// bots of one match come back at different times.
inline constexpr int kPauseSecondsMax = 6;

// Time limit of CreateTable. The rules service needs some milliseconds, and a request without an
// answer is repeated.
inline constexpr absl::Duration kCreateTableTimeout = absl::Seconds(3);
// Time limit of BatchGetRatings. It is shorter than kRatingsWaitMax, because after that time the
// wave does not use the answer.
inline constexpr absl::Duration kGetRatingsTimeout = absl::Milliseconds(800);
// Maximum number of players in one BatchGetRatings. The ratings service has this limit.
inline constexpr std::size_t kRatingsBatchMax = 200;

// The limits of rooms.
// Longest time for a move, and largest time bank, in a room. Players wait for each other only as
// long as a company at a real table would.
inline constexpr absl::Duration kRoomMoveLimitMax = absl::Minutes(10);
inline constexpr absl::Duration kRoomTimeBankMax = absl::Hours(1);
// Maximum number of invited players who have not joined. It is several times the number of seats.
inline constexpr std::size_t kRoomInvitationsMax = 20;
// Maximum number of removed persons that a room remembers. Then it forgets the oldest ones.
inline constexpr std::size_t kRoomRemovedMax = 50;
// Maximum number of attempts to change a room while other changes of the same room are faster. A
// room has few persons, so a call hardly ever loses all these attempts.
inline constexpr int kRoomAttemptsMax = 16;
// Maximum number of attempts to find a code that no other room has. About 900 million codes exist.
inline constexpr int kRoomCodeAttemptsMax = 8;
// Number of characters of a code, and the characters: capital letters and digits without those that
// look like another one.
inline constexpr int kRoomCodeLength = 6;
inline constexpr char kRoomCodeCharacters[] = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
// Interval at which a replica marks the rooms that its players watch as used, and the host of the
// rooms ends unused ones.
inline constexpr absl::Duration kRoomSweepEvery = absl::Seconds(30);
// At its start, and after an outage of the database or a pause of the replica, a replica marks its
// rooms this many times before it ends a room. Meanwhile the other replicas mark the rooms that
// their players watch.
inline constexpr int kRoomTouchesMin = 3;
// A room ends if it was not used for this time. It is longer than a pause between two matches.
inline constexpr absl::Duration kRoomUnusedMax = absl::Minutes(10);
// A room that has ended is forgotten after this time. It is forgotten
// earlier if its creator makes another one. Until then a repeated CreateRoom finds it.
inline constexpr absl::Duration kRoomForgottenAfter = absl::Hours(1);
// Maximum number of rooms that one sweep ends, and that it forgets. The statements take some
// hundred milliseconds; later sweeps do the rest.
inline constexpr int kRoomsSweptMax = 1'000;
// Number of rooms on a page of ListRooms: by default, and at most. A room has some hundred bytes.
inline constexpr int kRoomPageDefault = 20;
inline constexpr int kRoomPageMax = 50;

// The limits of friends, blocks and reports.
// Maximum number of players that the service remembers to have seen since its start, so that it
// does not store them again. Above this number, it forgets all of them.
inline constexpr std::size_t kPlayersSeenMax = 100'000;
// A replica stores the last use of a player at most once in this time.
inline constexpr absl::Duration kSeenEvery = absl::Seconds(30);
// A player who was seen within this time is online. Two replicas and a slow call may delay the
// stored time by some ten seconds.
inline constexpr absl::Duration kOnlineFor = absl::Seconds(90);
// Maximum number of friends and sent requests of one player, and of friends and received requests.
// More would make a list of friends too long to read.
inline constexpr int kFriendsAskedMax = 200;
inline constexpr int kFriendsAskingMax = 400;
// Maximum number of players whom one player may block.
inline constexpr int kBlocksMax = 100;
// Two players of a ranked queue with a block between them get one table only when both have waited
// for this time and no table without a block is possible. By then the windows of ratings are nearly
// as wide as they become.
inline constexpr absl::Duration kBlockWait = absl::Minutes(2);
// Number of players on a page of ListFriends, and of reports on a page of ListReports: by default,
// and at most.
inline constexpr int kFriendPageDefault = 50;
inline constexpr int kFriendPageMax = 100;
// Maximum number of reports that a player may make within a day.
inline constexpr int kReportsPerDayMax = 20;
// Highest number of a deal in a report. Deals that all players pass count, so a match of
// kDealCountMax deals may have more.
inline constexpr int kReportDealMax = 1'000;
// A player may report another one until a table is this old.
inline constexpr absl::Duration kReportedTableMax = absl::Hours(24 * 7);
// A player who was away for this time is forgotten, with all friends, requests and blocks.
inline constexpr absl::Duration kPlayerForgottenAfter = absl::Hours(24 * 365);
// A report is forgotten at this age.
inline constexpr absl::Duration kReportForgottenAfter = absl::Hours(24 * 180);
// Maximum number of players, and of reports, that one sweep forgets.
inline constexpr int kPlayersForgottenMax = 1'000;

// The limits below are for queues and bots. The rules service has the same limits, except
// kQueueIdBytesMax.

// Maximum number of bytes of a queue's id. Ids are parts of names that people read and type.
inline constexpr std::size_t kQueueIdBytesMax = 32;
// Maximum number of bytes of a display name: 32 characters of four bytes each.
inline constexpr std::size_t kNameBytesMax = 128;
// Maximum number of deals of one match.
inline constexpr int kDealCountMax = 100;
// Shortest time for a move, and longest time for a move, a time bank or a queue's bot_fill_delay.
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
inline constexpr absl::Duration kClockMax = absl::Hours(24);

}  // namespace tarot::matchmaking_service
