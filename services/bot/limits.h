// The limits of the bot service, with units and reasons. Operators set none of them: what an
// operator may set is in service.h.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace tarot::bot_service {

// The number of calls that may wait for a worker. More calls are refused, because their deadlines
// would pass in the queue.
inline constexpr int kWorkerQueueMax = 256;

// The number of nodes that one decision may search: about 100 ms. One call may not occupy a worker
// for longer.
inline constexpr std::uint64_t kNodeBudgetMax = 2'000'000;

// A decision ends this long before the call's deadline. The answer needs this time for the way
// back.
inline constexpr absl::Duration kAnswerMargin = absl::Milliseconds(30);

// Threads for analyses alone, so that no table waits for them.
inline constexpr int kAnalysisThreads = 1;

// The number of analyses that may run at the same time. The analyses take turns: each judges one
// decision, then waits for the others.
inline constexpr int kAnalysesMax = 32;

// The number of nodes that an analysis may search with open hands for one decision. The solver
// takes some seconds for them. One decision may not occupy the analysis thread for longer.
inline constexpr std::uint64_t kOpenNodeBudgetMax = 30'000'000;

}  // namespace tarot::bot_service
