// Declares the functions that make the partitions of the logs ahead of time, one for each day
// (UTC). Partition number N consists of the SQL tables table_actions_N, deals_N and deal_players_N.
// It has the ids of the game tables that are made on its day. All other ids are in the default
// partitions table_actions_rest, deals_rest and deal_players_rest. These are the random ids of
// older versions, and the ids of days that have no partition.
#pragma once

#include <functional>
#include <mutex>
#include <pqxx/pqxx>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/pg/pool.h"

namespace tarot::rules_service {

// The pools of LogPartitioner and Archiver must have these statements and this session.
std::vector<pg::Statement> LogPartitionStatements();
// A statement that waits for a lock also delays all later statements on this SQL table, so the wait
// is short: together the three locks of a partition take less than a second. It is also shorter
// than the time after which Postgres looks for deadlocks, so that no statement of players is the
// one that fails.
inline constexpr char kLogUpkeepSession[] = "SET lock_timeout = '300ms'";

// Tries to take the lock that allows only one replica to change the partitions and the archive. The
// transaction holds the lock until its end.
bool LockLogs(pqxx::transaction_base& tx);

// Returns the least id that is greater than `id`.
Uuid NextId(const Uuid& id);

// Ends the upkeep of the logs in the middle of a statement. A statement may take minutes, and a
// process must end sooner. This is safe at any moment, as a kill of the process is. Thread-safe.
class UpkeepStop {
 public:
  // While a guard exists, Stop() cuts the connection. There is at most one guard at a time.
  class Guard {
   public:
    Guard(UpkeepStop& stop, const pqxx::connection& connection);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    UpkeepStop& stop_;
  };

  void Stop();
  bool stopped() const;

 private:
  mutable std::mutex mutex_;  // Guards the members below.
  bool stopped_ = false;
  int socket_ = -1;  // The socket of the guarded connection, or -1.
};

// The steps of making a partition. Tests interrupt the work after each of them.
enum class PartitionStep {
  kClosed,   // The default partitions refuse new rows of the range.
  kChecked,  // They have no old rows of it.
  kAdded,
};
inline constexpr PartitionStep kLastPartitionStep = PartitionStep::kAdded;

class LogPartitioner {
 public:
  // `slow_pool` is used only if a partition is missing; its statements may take
  // kMakePartitionTimeout. All arguments must outlive this object.
  LogPartitioner(pg::Pool& pool, pg::Pool& slow_pool, UpkeepStop& stop)
      : pool_(pool), slow_pool_(slow_pool), stop_(stop) {}

  // Calls `on_step` after each step, on the caller's thread. Set this callback once, before a call.
  void set_on_step(std::function<void(PartitionStep)> on_step) { on_step_ = std::move(on_step); }

  // Makes the partitions of the days until kPartitionsAhead after `now`, and returns their number.
  // Never makes a partition of the present or the past. Stops early if another replica does the
  // same work. Returns ABORTED STORAGE_CONFLICT if a lock is not available; the next call
  // continues.
  absl::StatusOr<int> MakeAhead(absl::Time now);

 private:
  pg::Pool& pool_;
  pg::Pool& slow_pool_;
  UpkeepStop& stop_;
  std::function<void(PartitionStep)> on_step_ = [](PartitionStep) {};
};

}  // namespace tarot::rules_service
