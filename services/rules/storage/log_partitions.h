// Makes the partitions of the logs ahead of time, one for each day (UTC). A partition has the SQL
// tables table_actions_N, deals_N and deal_players_N, with the ids of the tables that are made on
// its day. Ids without a partition are in the default partitions table_actions_rest, deals_rest and
// deal_players_rest: the random ids of older versions, and the ids of days before this version.
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

// The pool of the next function, and of Archiver, must have these statements and this session.
std::vector<pg::Statement> LogPartitionStatements();
// A statement that waits for a lock also delays all later statements on this SQL table, so the wait
// is short. It is shorter than the time after which Postgres looks for deadlocks, so that no
// statement of players is the one that fails.
inline constexpr char kLogUpkeepSession[] = "SET lock_timeout = '500ms'";

// Tries to take the lock that allows only one replica to change the partitions and the archive. The
// transaction holds the lock until its end.
bool LockLogs(pqxx::transaction_base& tx);

// Returns the least id that is greater than `id`.
Uuid NextId(const Uuid& id);

// Makes the partitions of the days until kPartitionsAhead after `now`, and returns their number.
// `slow_pool` is used only if a partition is missing; its statements may take
// kMakePartitionTimeout. Never makes a partition of the present or the past. Stops early if another
// replica does the same work. Returns ABORTED STORAGE_CONFLICT if a lock is not available; the next
// run continues.
absl::StatusOr<int> MakeLogPartitions(pg::Pool& pool, pg::Pool& slow_pool, absl::Time now);

}  // namespace tarot::rules_service
