// Declares the class that makes the partitions of the logs. There is one partition for each day
// (UTC), and it is made some days before. Partition number N consists of the SQL tables
// table_actions_N, deals_N and deal_players_N. It has the rows of the game tables that are made on
// its day, because the id of a game table contains the time. The rows of all other game tables are
// in the default partitions table_actions_rest, deals_rest and deal_players_rest. Such game tables
// have random ids from older versions, or were made on a day without a partition.
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
// The longest wait for a lock. A statement that waits for a lock on an SQL table also delays all
// later statements on this SQL table. With this limit, the three locks of a partition delay play
// for less than a second. The limit is also shorter than deadlock_timeout of Postgres (1 s). So in
// a deadlock, this statement fails and not a statement for a player.
inline constexpr char kLogUpkeepSession[] = "SET lock_timeout = '300ms'";

// Tries to take the lock that allows only one replica to change the partitions and the archive. The
// transaction holds the lock until its end.
bool LockLogs(pqxx::transaction_base& tx);

// Returns the least id that is greater than `id`.
Uuid NextId(const Uuid& id);

// Stops the work on the logs, even in the middle of a statement. A statement may take minutes, but
// a process must stop within seconds. A stop is safe at any moment: the transaction is rolled back.
// Thread-safe.
class UpkeepStop {
 public:
  // While a guard exists, Stop() closes the socket of its connection. There is at most one guard at
  // a time.
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
  kChecked,  // The default partitions have no old rows of the range.
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

  // Makes the missing partitions for the days until kPartitionsAhead after `now`. Returns the
  // number of partitions that it made. Never makes a partition for a time that has begun. Stops
  // early if another replica does the same work. Returns ABORTED STORAGE_CONFLICT if a lock is not
  // available; the next call continues.
  absl::StatusOr<int> MakeAhead(absl::Time now);

 private:
  pg::Pool& pool_;
  pg::Pool& slow_pool_;
  UpkeepStop& stop_;
  std::function<void(PartitionStep)> on_step_ = [](PartitionStep) {};
};

}  // namespace tarot::rules_service
