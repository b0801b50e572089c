// The limits of the bot service, with units and reasons.
#pragma once

namespace tarot::bot_service {

// Calls that wait for a worker. More are refused: their deadlines would pass in the queue.
inline constexpr int kWorkerQueueMax = 256;

// Analyses run on a thread of their own, so that no table waits for them.
inline constexpr int kAnalysisThreads = 1;

// Analyses under way at the same time; they take turns, one decision each.
inline constexpr int kAnalysesMax = 32;

}  // namespace tarot::bot_service
