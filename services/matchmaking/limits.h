// Defines the limits of the matchmaking service, with units and reasons. No flag changes these
// limits; service.h has the options with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::matchmaking_service {

// Maximum number of calls that wait for a worker. Further calls are refused, because their
// deadlines would pass while they wait.
inline constexpr int kWorkerQueueMax = 4'096;

// Maximum number of tasks that wait for the background thread. If this number of tasks wait, the
// executor drops further tasks.
inline constexpr int kBackgroundQueueMax = 4096;

// Interval of the waves. The interval is short enough for a player who waits, and long enough for
// several tickets to come between two waves.
inline constexpr absl::Duration kWaveEvery = absl::Seconds(2);
// Interval at which the service looks for new tickets. If the new tickets can complete a table, a
// wave begins at once. So friends who queue at the same moment meet in one wave.
inline constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// A person who waits longer than this counts as a bad event of the service level "tables found"
// (deploy/prometheus/levels.yml). This time must be one of the bucket limits of the metric
// wait_seconds.
inline constexpr absl::Duration kLongWait = absl::Seconds(60);
// A wave waits at most this long for ratings. Then it continues with the ratings that it knows.
inline constexpr absl::Duration kRatingsWaitMax = absl::Seconds(1);

// The rating, in rating points, that matchmaking assumes while it does not know a player's rating.
// It is also the rating of new players.
inline constexpr int kPriorRating = 1500;
// Maximum number of ratings in memory. This number of ratings takes some megabytes. If there are
// more, the service forgets all ratings and requests them again.
inline constexpr std::size_t kRatingsKnownMax = 200'000;

// After this time without an answer, a request for a table counts as lost. This time must be longer
// than kCreateTablesTimeout.
inline constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// While a stored table is younger than this, only the replica that stored the table requests it
// from the rules service.
inline constexpr absl::Duration kRetryAge = absl::Seconds(2);
// Maximum number of tables in one request to the rules service, and in one statement. Larger
// batches would delay the tables at the front of the batch, and gain only a little time for the
// other tables.
inline constexpr std::size_t kTablesPerBatch = 128;
// Maximum number of tables of a cell that one replica has requested and that have no answer yet.
// Further tables wait for their request. The maximum is eight batches, so the rules service always
// has work.
inline constexpr std::size_t kTablesAskedMax = 1'024;
// Maximum number of stored tables of one replica for which a cell has not answered yet. This number
// of tables takes some megabytes. At this number, a wave stores no more tables in this cell, and
// the next wave continues. Each cell has its own maximum, so a cell that does not answer does not
// use up the tables of the other cells.
inline constexpr std::size_t kTablesPlacedMax = 8'192;

// Interval at which matchmaking asks each cell for its number of free tables.
inline constexpr absl::Duration kCapacityEvery = absl::Seconds(2);

// The level of the bots that fill the free seats of casual tables. A bot of this level bids like
// people (docs/bots.md), so fewer deals at these tables are passed out.
inline constexpr char kCasualBotLevel[] = "sociable";

// Interval at which the service looks for bots of the population that have no live ticket. Such a
// bot begins a pause and then queues again.
inline constexpr absl::Duration kPopulationLookEvery = absl::Seconds(1);
// A bot pauses before it queues again. The pause is a random number of whole seconds below this
// limit, so the bots of one match come back at different times.
inline constexpr int kPauseSecondsMax = 6;

// Time limit of BatchCreateTables. The rules service needs some tens of milliseconds. A request
// without an answer is repeated.
inline constexpr absl::Duration kCreateTablesTimeout = absl::Seconds(3);
// Time limit of GetCapacity. A cell that has not answered until then gets no new tables.
inline constexpr absl::Duration kGetCapacityTimeout = absl::Seconds(1);
// Time limit of GetTable and of GetMatchEnd. A player who reports another player, or who joins a
// queue again after a match, waits for such a call.
inline constexpr absl::Duration kGetTableTimeout = absl::Seconds(2);
// After this time, one such call asks a cell that did not answer again. All other calls about its
// tables fail at once, so that they do not hold the threads that serve the players of other cells.
inline constexpr absl::Duration kSilentCellPause = absl::Seconds(5);
// Time limit of BatchGetRatings. It is shorter than kRatingsWaitMax: when kRatingsWaitMax has
// passed, the wave does not use the answer.
inline constexpr absl::Duration kGetRatingsTimeout = absl::Milliseconds(800);
// Maximum number of players in one BatchGetRatings. It is the limit of the ratings service.
inline constexpr std::size_t kRatingsBatchMax = 200;

// Maximum number of matches that a ranked queue may require from a new player.
inline constexpr int kRequiredMatchesMax = 100;

// The limits of the penalty for players who leave ranked matches (app/standing.h). The first
// penalty is as long as a short break. The longest penalty lasts two days, for a player who leaves
// again and again.
inline constexpr absl::Duration kPenaltyFirst = absl::Minutes(10);
inline constexpr double kPenaltyFactor = 3;
inline constexpr absl::Duration kPenaltyMax = absl::Hours(48);
// If a player has left no match during this time, the next match that the player leaves counts as
// the first.
inline constexpr absl::Duration kLeaveForgottenAfter = absl::Hours(24 * 7);
// If a player plays this number of matches to the end, one leave is forgiven.
inline constexpr int kMatchesToForgive = 10;

// The next limits are for rooms.

// Longest time for a move, and largest time bank, in a room. These limits are short, because the
// other players of the room must wait while a player thinks.
inline constexpr absl::Duration kRoomMoveLimitMax = absl::Minutes(10);
inline constexpr absl::Duration kRoomTimeBankMax = absl::Hours(1);
// Maximum number of invited players of a room who have not joined. It is several times the number
// of seats.
inline constexpr std::size_t kRoomInvitationsMax = 20;
// Maximum number of removed persons that a room remembers. If the host removes one more person, the
// room forgets the person whom the host removed first.
inline constexpr std::size_t kRoomRemovedMax = 50;
// Maximum number of attempts of a call to change a room. An attempt fails if another change of the
// same room is stored first. A room has few persons, so all attempts fail very rarely.
inline constexpr int kRoomAttemptsMax = 16;
// Maximum number of attempts to find a code that no other room has. About 900 million codes exist.
inline constexpr int kRoomCodeAttemptsMax = 8;
// Number of characters of a room's code, and the possible characters. These are capital letters and
// digits, without the characters that people confuse.
inline constexpr int kRoomCodeLength = 6;
inline constexpr char kRoomCodeCharacters[] = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
// Interval at which a replica marks the rooms that its players watch as used. At the same interval,
// one replica ends the unused rooms.
inline constexpr absl::Duration kRoomSweepEvery = absl::Seconds(30);
// A replica ends rooms only after it has marked its own rooms this many times. The count begins
// again at the replica's start, after an outage of the database, and after a long pause. In this
// time the other replicas mark the rooms that their players watch.
inline constexpr int kRoomTouchesMin = 3;
// A room ends if it was not used for this time. This time is longer than a usual pause between two
// matches.
inline constexpr absl::Duration kRoomUnusedMax = absl::Minutes(10);
// The service forgets an ended room after this time. If the creator makes another room before that,
// the service forgets the ended room then. As long as the ended room exists, a repeated CreateRoom
// finds it.
inline constexpr absl::Duration kRoomForgottenAfter = absl::Hours(1);
// Maximum number of rooms that one sweep ends, and maximum number of rooms that one sweep forgets.
// A sweep takes some hundred milliseconds. Later sweeps handle the remaining rooms.
inline constexpr int kRoomsSweptMax = 1'000;
// Default and maximum number of rooms on a page of ListRooms. A room has some hundred bytes.
inline constexpr int kRoomPageDefault = 20;
inline constexpr int kRoomPageMax = 50;

// The next limits are for friends, blocks and reports.

// Maximum number of players in SeenPlayers, which remembers when this replica last stored the time
// of each player's last call. If there are more players, the replica forgets all of them.
inline constexpr std::size_t kPlayersSeenMax = 100'000;
// A replica stores the time of a player's last call at most once per this interval.
inline constexpr absl::Duration kSeenEvery = absl::Seconds(30);
// Maximum number of players in one MarkOnline. The gateway splits longer lists.
inline constexpr int kPlayersMarkedMax = 1'000;
// A player who was seen within this time is online. It is longer than kSeenEvery, because the
// stored time may be kSeenEvery old.
inline constexpr absl::Duration kOnlineFor = absl::Seconds(90);
// kFriendsAskedMax limits a player's friends and sent requests together. kFriendsAskingMax limits
// the player's friends and received requests together. A longer list would be hard to read.
inline constexpr int kFriendsAskedMax = 200;
inline constexpr int kFriendsAskingMax = 400;
// Maximum number of players whom one player may block.
inline constexpr int kBlocksMax = 100;
// If two players have a block between them, they may share a ranked table only after both have
// waited for this time. Even then, the matcher prefers a table without a block. After this time,
// the rating windows of the two tickets are nearly at their maximum.
inline constexpr absl::Duration kBlockWait = absl::Minutes(2);
// Maximum numbers of changes of friends and blocks that run in one replica at the same time.
// kPairChangesPerPlayerMax limits the changes with the same caller, and also the changes with the
// same other player. kPairChangesMax limits all changes. Further changes get OVERLOADED. Each
// change locks its two players in the database, so changes of the same player wait for one another.
// Without these limits, changes that wait could take all workers.
inline constexpr int kPairChangesPerPlayerMax = 2;
inline constexpr int kPairChangesMax = 4;
// Default and maximum number of rows on a page of ListFriends and of ListReports.
inline constexpr int kFriendPageDefault = 50;
inline constexpr int kFriendPageMax = 100;
// Maximum number of reports that a player may make within a day.
inline constexpr int kReportsPerDayMax = 20;
// Highest number of a deal in a report. It is above kDealCountMax, because deals without a score
// also have numbers.
inline constexpr int kReportDealMax = 1'000;
// A player may report players of a table until the table is this old.
inline constexpr absl::Duration kReportedTableMax = absl::Hours(24 * 7);
// If a player was away for this time, the service forgets the player, with the player's friends,
// requests and blocks.
inline constexpr absl::Duration kPlayerForgottenAfter = absl::Hours(24 * 365);
// If a guest was away for this time, the service forgets the guest. But the guest must have had no
// table of a queue, and must have no friends, requests or blocks. If the service kept all guests
// who come once, they would fill the database.
inline constexpr absl::Duration kGuestForgottenAfter = absl::Hours(24 * 2);
// The service forgets a cancelled ticket at this age. Until then it answers repeated requests.
inline constexpr absl::Duration kTicketForgottenAfter = absl::Hours(1);
// Maximum number of guests that one sweep forgets. A sweep also forgets at most this number of
// cancelled tickets.
inline constexpr int kGuestsForgottenMax = 10'000;
// The round trip between two regions for which the catalog has no row. Players across an ocean have
// about this round trip.
inline constexpr int kRoundTripDefaultMs = 150;
// Maximum number of bytes of a region's name, also in the gateway's option --region.
inline constexpr std::size_t kRegionBytesMax = 16;
// A longer round trip in a catalog is a mistake.
inline constexpr int kRoundTripMaxMs = 1'000;
// Maximum number of round trips in a catalog. It is enough for 32 regions.
inline constexpr int kRoundTripsMax = 496;

// When a table whose match is over has this age, the service forgets the table and its tickets.
// This age must not be below kReportedTableMax.
inline constexpr absl::Duration kMatchForgottenAfter = absl::Hours(24 * 7);
// Maximum number of tables that one sweep forgets. There is a sweep every 30 seconds. So the
// service forgets more tables than one database can get in this time.
inline constexpr int kMatchesForgottenMax = 5'000;
// The service forgets a report at this age.
inline constexpr absl::Duration kReportForgottenAfter = absl::Hours(24 * 180);
// Maximum number of players that one sweep forgets. A sweep also forgets at most this number of
// reports.
inline constexpr int kPlayersForgottenMax = 1'000;

// The limits of queues and bots. The rules service has the same limits for names, deals and clocks.

// Maximum number of bytes of a queue's id. Ids are parts of names that people read and type.
inline constexpr std::size_t kQueueIdBytesMax = 32;
// Maximum number of bytes of a display name: 32 characters of four bytes each.
inline constexpr std::size_t kNameBytesMax = 128;
// Maximum number of bots that join queues by themselves. It is also the maximum of the option
// --population.
inline constexpr int kPopulationMax = 10'000;
// Maximum number of deals of one match.
inline constexpr int kDealCountMax = 100;
// kMoveLimitMin is the shortest time for a move. kClockMax is the longest value of each of these
// limits: the move limit, the time bank, and a queue's bot_fill_delay.
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
inline constexpr absl::Duration kClockMax = absl::Hours(24);

}  // namespace tarot::matchmaking_service
