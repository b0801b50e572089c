// Declares the functions that make the partitions of the logs ahead of time, one for each day
// (UTC). Partition number N consists of the SQL tables table_actions_N, deals_N and deal_players_N.
// It has the ids of the game tables that are made on its day. All other ids are in the default
// partitions table_actions_rest, deals_rest and deal_players_rest. These are the random ids of
// older versions, and the ids of days that have no partition.
#pragma once

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/pg/pool.h"

namespace tarot::rules_service {

// The SQL tables of the logs that are partitioned.
inline constexpr std::array<const char*, 3> kLogTables = {"table_actions", "deals", "deal_players"};

// The pool of the next function must have these statements and this session. The pool of Archiver
// must have them too.
std::vector<pg::Statement> LogPartitionStatements();
// While a statement waits for a lock, all later statements on the same SQL table also wait. So the
// time limit for this wait is short. It is even shorter than the time after which Postgres looks
// for deadlocks. So in a deadlock, the statement of this job fails and not a statement of a player.
inline constexpr char kLogUpkeepSession[] = "SET lock_timeout = '500ms'";

// Tries to take the lock that allows only one replica to change the partitions and the archive. The
// transaction holds the lock until its end.
bool LockLogs(pqxx::transaction_base& tx);

// Returns the least id that is greater than `id`.
Uuid NextId(const Uuid& id);

// Makes the partitions of the days until kPartitionsAhead after `now`, and returns their number.
// `slow_pool` is used only if a partition is missing, and its statements may take
// kMakePartitionTimeout. Never makes a partition of the present or the past. If another replica
// does the same work, stops early. If a lock is not available, returns ABORTED STORAGE_CONFLICT,
// and the next run continues the work.
absl::StatusOr<int> MakeLogPartitions(pg::Pool& pool, pg::Pool& slow_pool, absl::Time now);

}  // namespace tarot::rules_service
