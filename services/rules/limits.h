// The limits of the rules service, with units and reasons. Operators set none of them: what an
// operator may set is in options.h.
#pragma once

#include "absl/time/time.h"

namespace tarot::rules_service {

// Calls that wait for a worker. More are refused with OVERLOADED: their deadlines would pass in the
// queue.
inline constexpr int kWorkerQueueMax = 4'096;

// Threads that run the appender's statements and report their outcomes.
inline constexpr int kAppendThreads = 4;

// Wait for the bot service. After it, the fallback policy decides for the seat.
inline constexpr absl::Duration kBotTimeout = absl::Seconds(2);

// Interval at which the outbox relay searches for results that another service has not confirmed.
inline constexpr absl::Duration kOutboxInterval = absl::Milliseconds(500);

// Time for which a finished table stays in memory, for players who still watch its last view.
inline constexpr absl::Duration kForgetFinishedAfter = absl::Minutes(2);

}  // namespace tarot::rules_service
