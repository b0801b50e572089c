// The limits of the bot service, with units and reasons. No flag changes them; service.h has the
// options with flags.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "libs/base/slots.h"

namespace tarot::bot_service {

// Maximum number of calls that wait for a worker. Further calls are refused, because their
// deadlines would pass while they wait.
inline constexpr int kWorkerQueueMax = 256;

// Maximum of `node_budget` in a request, so that one decision does not occupy a worker for long.
inline constexpr std::uint64_t kNodeBudgetMax = 2'000'000;

// The nice values of the threads that decide and of the threads that analyze. Guests may fill rooms
// with the strongest bots. So when the bots need all processors of a machine, moves come first,
// then bots, then analyses.
inline constexpr int kWorkerNice = 5;
inline constexpr int kAnalysisNice = 10;

// A decision ends this long before the call's deadline, so that the answer still reaches the
// caller.
inline constexpr absl::Duration kAnswerMargin = absl::Milliseconds(30);

// Time limit of a call to the rules service. Such a call reads little, so a slower answer means a
// fault.
inline constexpr absl::Duration kRulesTimeout = absl::Seconds(3);

// Number of threads that run only analyses, so that no decision at a table waits for an analysis.
inline constexpr int kAnalysisThreads = 1;

// Maximum number of analyses that run at the same time. The analyses share the thread equally.
inline constexpr int kAnalysesMax = 32;

// Maximum number of analyses that run at the same time for one player, for all players of one
// address, for all players of one IPv6 /48, and for all players together.
inline constexpr SlotLimit kAnalysisSlots = {.per_player = 1,
                                             .per_address = kAnalysesMax / 8,
                                             .per_network = kAnalysesMax / 4,
                                             .all = kAnalysesMax};

// An analysis that is not complete after this time ends with ANALYSIS_TOO_LONG. An analysis with
// the default budgets takes less than this time, even if kAnalysesMax analyses share the thread.
inline constexpr absl::Duration kAnalysisTimeMax = absl::Minutes(15);

// Maximum of `open_node_budget` in an AnalyzeDeal request. With this budget one decision takes some
// seconds, and all other analyses wait for this time.
inline constexpr std::uint64_t kOpenNodeBudgetMax = 30'000'000;

}  // namespace tarot::bot_service
