// Defines the limits of the rules service, with units and reasons. No flag changes these limits;
// service.h has the options with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::rules_service {

// Maximum number of calls that wait for a worker. Further calls get OVERLOADED, because they would
// wait longer than their deadlines.
inline constexpr int kWorkerQueueMax = 4'096;

// Number of threads for lists and records, and the nice value of these threads (their low priority
// in Linux). Lists read many rows, and they must not take workers or processor time from play.
inline constexpr int kListThreads = 2;
inline constexpr int kListNice = 10;
// Maximum number of calls that wait for a thread for lists and records. Further calls get
// OVERLOADED.
inline constexpr int kListQueueMax = 64;

// Maximum numbers of GetTable calls that read a log, or wait to read one, at the same time. There
// are three limits: for one player, for all players of one address, and for all players of one IPv6
// /48. So one client cannot fill the queue. The gateway limits lists in the same way.
inline constexpr int kReadsPerPlayerMax = 2;
inline constexpr int kReadsPerAddressMax = 16;
inline constexpr int kReadsPerNetworkMax = 32;

// Minimum number of threads that run the appender's statements and report the results. There is at
// least one thread for each connection.
inline constexpr int kAppendThreads = 4;

// Maximum number of scored deals of one match. People play far fewer deals in one evening.
inline constexpr int kDealCountMax = 100;
// Maximum number of tables in one BatchCreateTables request. One statement stores all of them.
inline constexpr int kTablesPerBatchMax = 256;
// Maximum number of entries in one answer of GetTableLog.
inline constexpr int kLogPageMax = 1'000;
// Maximum number of bytes of the reason that an operator gives for cancelling a deal.
inline constexpr std::size_t kVoidReasonBytesMax = 200;
// Maximum number of bytes of a player's name: 32 characters of four bytes each.
inline constexpr std::size_t kDisplayNameBytesMax = 128;
// Maximum number of bytes of the name of a bot's level. The longest name of a level has eight
// bytes.
inline constexpr std::size_t kBotLevelBytesMax = 32;
// Shortest move limit. With less time, many moves would arrive too late.
inline constexpr absl::Duration kMoveLimitMin = absl::Seconds(1);
// Longest move limit, and largest time bank. They allow slow games in which a player moves once a
// day.
inline constexpr absl::Duration kClockMax = absl::Hours(24);

// Maximum number of calls of one seat that wait for the lock of a table. A client sends one call at
// a time, and repeats the call if the answer is lost. Further calls get TABLE_BUSY.
inline constexpr std::size_t kSeatWaitingMax = 4;
// Maximum number of the server's own operations that wait for the lock of a table.
inline constexpr std::size_t kServerWaitingMax = 16;
// If a request names a revision that this replica does not know, the replica reads the table's log
// again. For each table, the replica does this at most once in this time. Such a revision exists
// only if another replica wrote to the log, which is rare.
inline constexpr absl::Duration kBelievedEvery = absl::Seconds(1);

// Shortest time between two phrases of one seat. If it were shorter, a seat could cover the screens
// of the other players with phrases.
inline constexpr absl::Duration kPhraseInterval = absl::Seconds(3);
// Maximum numbers of phrases and of changed mutes of one seat in one deal. Each phrase and each
// changed mute is an entry of the table's log, and a takeover reads the whole log.
inline constexpr int kPhrasesPerDealMax = 20;
inline constexpr int kMutesPerDealMax = 20;

// If answers to a proposal are still missing after this time, the proposal lapses. The time is long
// enough to read a line and to press a key, and short enough for the players who wait.
inline constexpr absl::Duration kProposalOpenFor = absl::Seconds(20);
// Longest break. After this time the clocks run again, even if no player is back.
inline constexpr absl::Duration kBreakMax = absl::Minutes(10);
// Maximum number of proposals of one seat in one deal. Each proposal pauses the game for all
// players.
inline constexpr int kProposalsPerDealMax = 5;
// At a table where cards may be taken back, the server waits after a person's card. It waits at
// least this time before a bot plays, and before the server plays the last trick. Without this
// wait, the person could not propose in time.
inline constexpr absl::Duration kTakeBackLinger = absl::Seconds(2);

// If a seat's clock has run out in this number of turns in a row, a bot holds the seat until the
// player comes back. A single such turn may be an accident.
inline constexpr int kStrikesToHold = 2;

// Delay before a turn's step is tried again while all workers are busy. It is much shorter than a
// player's turn.
inline constexpr absl::Duration kBusyWorkersDelay = absl::Milliseconds(50);
// Delay before a turn's step is tried again, if a commit failed or Postgres does not answer.
inline constexpr absl::Duration kStepRetryDelay = absl::Milliseconds(500);
// Delay before a turn's step is tried again after an INTERNAL error. A quick repeat would seldom
// help.
inline constexpr absl::Duration kBrokenTableDelay = absl::Seconds(10);

// Time between the end of a seat's clock and the move that a bot makes for the seat. A bot usually
// needs less time to choose. So the time of the move does not show how hard the choice was.
inline constexpr absl::Duration kClockMoveDelay = absl::Milliseconds(100);
// Time limit for the bot service. After this time, the fallback policy decides for the seat.
inline constexpr absl::Duration kBotTimeout = absl::Seconds(2);

// The level of the bots that play for a person who is away from a casual table.
inline constexpr char kCasualStandInLevel[] = "strong";
// The level of the bots that play for absent persons in a ranked match, and of all bots at a casual
// table that all people have left. Bots of level `strong` would cost much CPU time.
inline constexpr char kCheapestLevel[] = "novice";

// Maximum number of logs that are read at the same time because a call named their tables. A caller
// may name finished tables, and the tables in play need the remaining workers.
inline constexpr int kLoadsAtOnceMax = 3;

// One statement finds out which of at most kLookupsPerStatement tables exist. At most one such
// statement begins in each kLookupPause, so calls about tables that do not exist cost at most 50
// statements per second. If kLookupsWaitingMax calls wait, further calls get OVERLOADED.
inline constexpr std::size_t kLookupsPerStatement = 1'024;
inline constexpr absl::Duration kLookupPause = absl::Milliseconds(20);
inline constexpr std::size_t kLookupsWaitingMax = 8'192;

// Interval at which the outbox relay searches for results that another service has not confirmed.
inline constexpr absl::Duration kOutboxInterval = absl::Milliseconds(500);
// One statement reads at most this number of results for ratings, and the same number for
// matchmaking.
inline constexpr int kOutboxPageSize = 100;
// Maximum number of pages that one run reads. The run stops earlier when it has begun as many
// deliveries as one page has results. A run may need several pages: results that fail again and
// again stay at the front, and they must not block the results behind them.
inline constexpr int kOutboxPagesMax = 10;
// Pause before a failed delivery is tried again. The pause doubles with each failure, from
// kOutboxBackoffMin to kOutboxBackoffMax.
inline constexpr absl::Duration kOutboxBackoffMin = absl::Seconds(2);
inline constexpr absl::Duration kOutboxBackoffMax = absl::Seconds(8);
// During this time after the end of a match, only the table's host delivers the result. After this
// time every replica delivers it, because the host may be dead or unable to reach the other
// service.
inline constexpr absl::Duration kOutboxHostTime = absl::Seconds(10);

// If a replica cannot read the deals of a finished match, it waits until this time has passed since
// the end of the match. Then it delivers the result to ratings without the deals.
inline constexpr absl::Duration kOutboxDealsTime = absl::Hours(1);

// Time for which a finished table stays in memory, so that players can still look at its last view.
inline constexpr absl::Duration kForgetFinishedAfter = absl::Minutes(2);
// Interval at which the tables in memory are counted, and finished tables are forgotten.
inline constexpr absl::Duration kHousekeepingInterval = absl::Seconds(2);

// The next limits are for tables that a replica acquires after a change of the list of replicas.

// Number of tables in play that one statement lists, or whose logs one statement compares with this
// replica's memory. Such a list has some hundred kilobytes.
inline constexpr int kLiveTablesPerPage = 5'000;
// Number of tables that one statement reads with their logs. The logs have some megabytes.
inline constexpr std::size_t kTablesPerLoad = 250;
// Number of workers that load tables. While one worker decodes logs, Postgres reads logs for the
// other worker. The remaining workers serve players.
inline constexpr int kTableLoaders = 2;
// Delay before a table that cannot be read is tried again, for example a table whose key is
// missing. The delay is long for two reasons: each attempt reads the whole log, and only an
// operator can repair the table.
inline constexpr absl::Duration kUnreadableRetryDelay = absl::Minutes(5);
// Number of heartbeats (one a second) after which the other replicas normally know a change of the
// list of replicas, and have released the tables that moved.
inline constexpr int kHeartbeatsToHear = 2;
// Number of heartbeats after which even slow replicas know a change of the list, and have released
// the tables that moved.
inline constexpr int kHeartbeatsToSettle = 5;
// Number of heartbeats between two searches for missing tables while the list of replicas does not
// change.
inline constexpr int kHeartbeatsBetweenSweeps = 30;
// A search for missing tables reads only the tables that were made after the previous search began,
// or at most this long before it began. The clocks of two replicas may differ by two minutes, and a
// statement that makes a table ends within seconds.
inline constexpr absl::Duration kNewTablesOverlap = absl::Minutes(3);
// After this number of searches, a search reads the ids of all tables in play, although the list of
// replicas has not changed. So it also finds a table that was made with a wrong clock.
inline constexpr int kSweepsBetweenFullLists = 20;

// Maximum number of encoded tables in the cache of transport (about 4 KiB for each table). If a
// player asks for a table that the cache has dropped, the table is encoded again.
inline constexpr std::size_t kEncodedTablesMax = 4'096;

// Default and maximum number of rows of a page in ListTables and ListRecords.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// Maximum number of bytes in the text of one ImportRecords request. A few hundred deals fit into
// this text. The limit exists because parsing the text takes CPU time.
inline constexpr std::size_t kTdnBytesMax = 100'000;

// Maximum number of forwarded calls that wait for answers of other replicas. Further calls get
// OVERLOADED.
inline constexpr int kForwardedCallsMax = 1'024;

// Time that a cell has to send its part of a list. A player waits for this time if the cell does
// not answer.
inline constexpr absl::Duration kCellTimeout = absl::Seconds(2);
// After this time, one call asks a cell that did not answer for its part of a list again.
inline constexpr absl::Duration kSilentCellPause = absl::Seconds(2);
// The deadline of a forwarded call is earlier than the caller's deadline by this time, so that the
// answer still reaches the caller.
inline constexpr absl::Duration kForwardDeadlineMargin = absl::Milliseconds(10);
// Time limit of a forwarded call if its caller has set no deadline. If the caller's deadline is
// later, this limit also applies.
inline constexpr absl::Duration kForwardTimeoutMax = absl::Seconds(10);

// Time limit for ratings and matchmaking to confirm a finished match. The outbox tries again later.
inline constexpr absl::Duration kSinkTimeout = absl::Seconds(5);

// The next limits are for feeds (TableFeedService.WatchTables).

// Maximum number of frames in one message. Such a message has about 200 KB; gRPC allows 4 MB.
inline constexpr std::size_t kFramesPerMessage = 64;
// Maximum number of frames that wait to be written. If more frames wait, the feed reads no further
// requests. So a gateway that sends requests and does not read the frames cannot fill the memory.
inline constexpr std::size_t kFramesWaitingMax = 4'096;
// Maximum number of tables that one request adds.
inline constexpr int kAddsPerRequest = 1'024;
// If a feed has sent no message for this time, it sends an empty message. This message tells the
// gateway that this replica lives. The interval must be shorter than the silence that a gateway
// tolerates (kSilentTicksMax in services/gateway/limits.h).
inline constexpr absl::Duration kFeedTick = absl::Seconds(1);

// The next limits are for streams of moves (TableFeedService.SubmitActions).

// Maximum number of answers in one message. Such a message has about 100 KB; gRPC allows 4 MB.
inline constexpr std::size_t kAnswersPerMessage = 64;
// Maximum number of answers that wait to be written. If more answers wait, the stream reads no
// further calls.
inline constexpr std::size_t kAnswersWaitingMax = 4'096;

// The next limits are for the partitions of the logs and for the archive of finished matches.

// The length of a partition: one partition has the tables that are made in one day (UTC).
inline constexpr absl::Duration kPartitionSpan = absl::Hours(24);
// Partitions are made for this time in advance. If the job fails for longer than two days, later
// logs are in the default partition. This works, but deleting these logs later is slower than
// dropping a partition.
inline constexpr absl::Duration kPartitionsAhead = absl::Hours(3 * 24);
// A new partition begins at least this time after the moment when it is made. The margin is longer
// than the time that making a partition takes, and longer than the difference between the clocks of
// two replicas.
inline constexpr absl::Duration kPartitionMargin = absl::Hours(1);
// Interval at which a replica makes partitions and archives matches.
inline constexpr absl::Duration kLogUpkeepInterval = absl::Minutes(1);
// Time limit of a run of the archiver. A run takes some seconds.
inline constexpr absl::Duration kArchiveRunTimeout = absl::Seconds(20);
// Time limit for making a partition. Making a partition reads the whole default partition, once a
// day.
inline constexpr absl::Duration kMakePartitionTimeout = absl::Minutes(10);
// In one interval, the archiver writes at most this number of files, and drops at most this number
// of partitions.
inline constexpr int kArchiveRunsMax = 20;
// Maximum number of matches in one file of the archive. The file has half a megabyte.
inline constexpr int kMatchesPerFile = 500;
// Maximum number of log entries of the matches in one file. A file with a single match may have
// more. The entries take some hundred megabytes in memory, and a run with them ends within
// kArchiveRunTimeout.
inline constexpr int kEntriesPerFile = 400'000;
// A match that cannot be archived is tried again after this time, because an operator may have
// repaired the fault.
inline constexpr absl::Duration kUnarchivableRetry = absl::Hours(1);

// Number of archived matches whose deals one statement lists.
inline constexpr int kArchivedMatchesPerPage = 500;

// The next limits are for tarot-rules-audit.

// Number of tables that a thread takes at a time. If the number were larger, some threads would
// have nothing to do near the end.
inline constexpr int kAuditTablesPerPage = 20;
// Number of deals of one table that one statement lists from the index of deals. Nearly every match
// has fewer deals.
inline constexpr int kAuditDealsPerPage = 100;
// Number of deals that tarot-rules-records reads by one statement.
inline constexpr int kExportedDealsPerPage = 100;

}  // namespace tarot::rules_service
