// The limits of the bot service, with units and reasons.
#pragma once

namespace tarot::bot_service {

// The number of calls that may wait for a worker. More calls are refused, because their deadlines
// would pass in the queue.
inline constexpr int kWorkerQueueMax = 256;

// Threads for analyses alone, so that no table waits for them.
inline constexpr int kAnalysisThreads = 1;

// The number of analyses that may run at the same time. They take turns, one decision each.
inline constexpr int kAnalysesMax = 32;

}  // namespace tarot::bot_service
