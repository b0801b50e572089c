// The limits of the rules service, with units and reasons. Operators set none of them: what an
// operator may set is in options.h.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::rules_service {

// Number of calls that may wait for a worker. More calls are refused with OVERLOADED, because their
// deadlines would pass in the queue.
inline constexpr int kWorkerQueueMax = 4'096;

// Threads that run the appender's statements and report their results.
inline constexpr int kAppendThreads = 4;

// Time limit for the bot service. After it, the fallback policy decides for the seat.
inline constexpr absl::Duration kBotTimeout = absl::Seconds(2);

// Interval at which the outbox relay searches for results that another service has not confirmed.
inline constexpr absl::Duration kOutboxInterval = absl::Milliseconds(500);

// Time for which a finished table stays in memory, for players who still watch its last view.
inline constexpr absl::Duration kForgetFinishedAfter = absl::Minutes(2);

// Number of encoded tables that transport keeps (about 4 KiB each). If a player asks for a table
// that was dropped, it is encoded again.
inline constexpr std::size_t kEncodedTablesMax = 4'096;

// Number of rows of a page in ListTables and ListRecords.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// Number of bytes in the text of one ImportRecords, enough for some hundred deals. Reading the text
// takes CPU time.
inline constexpr std::size_t kTdnBytesMax = 100'000;

// Number of forwarded calls that may wait for answers of other replicas. More calls are refused
// with OVERLOADED.
inline constexpr int kForwardedCallsMax = 1'024;
// A forwarded call ends before the outer call by this margin, which its answer needs for the way
// back.
inline constexpr absl::Duration kForwardDeadlineMargin = absl::Milliseconds(10);
// A forwarded call without a deadline of its own, or with a late one, ends after this time.
inline constexpr absl::Duration kForwardTimeoutMax = absl::Seconds(10);

// Time limit for the health check of another replica.
inline constexpr absl::Duration kPingTimeout = absl::Seconds(2);
// If this many heartbeats in a row (one a second) pass without a message from any gateway or
// replica, this replica gives up its tables.
inline constexpr int kSilentHeartbeatsMax = 3;

// Time limit for ratings and matchmaking to confirm a finished match. The outbox tries again later.
inline constexpr absl::Duration kSinkTimeout = absl::Seconds(5);

// These limits are for feeds (TableFeedService.WatchTables). The number of frames in one message:
// about 200 KB, where gRPC allows 4 MB.
inline constexpr std::size_t kFramesPerMessage = 64;
// Number of frames that may wait to be written. With more, the feed reads no further requests, so a
// gateway that sends requests and does not read cannot fill the memory.
inline constexpr std::size_t kFramesWaitingMax = 4'096;
// Number of tables that one request may add.
inline constexpr int kAddsPerRequest = 1'024;

// These limits are for streams of moves (TableFeedService.SubmitActions). The number of answers in
// one message: about 100 KB, where gRPC allows 4 MB.
inline constexpr std::size_t kAnswersPerMessage = 64;
// Number of answers that may wait to be written. With more, the stream reads no further calls.
inline constexpr std::size_t kAnswersWaitingMax = 4'096;

}  // namespace tarot::rules_service
