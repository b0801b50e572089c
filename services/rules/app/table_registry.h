// Declares the registry of the tables in memory. The registry loads a table when the table is
// needed, and forgets it after the match. The number of tables in memory is limited.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/rules/app/table.h"
#include "services/rules/app/table_store.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Thread-safe. Get, GetMany and Reload wait for the store.
class TableRegistry {
 public:
  // While `tables_max` tables are in memory, the registry loads no further table. The clock of a
  // table starts anew when the table is loaded.
  TableRegistry(TableStore& store, int tables_max, Clock& clock)
      : store_(store), tables_max_(static_cast<std::size_t>(tables_max)), clock_(clock) {}

  // Returns the table from memory or from the log. If the key of a secret is missing or the log
  // cannot be replayed, the registry remembers the error. It then returns the same error, without a
  // call of the store, until kUnreadableRetryDelay has passed. Returns these errors:
  // - NOT_FOUND TABLE_NOT_FOUND and RESOURCE_EXHAUSTED TABLES_FULL;
  // - INTERNAL SECRET_UNREADABLE, or an error of Replay();
  // - UNAVAILABLE from the store;
  // - UNAVAILABLE OVERLOADED if kLoadsAtOnceMax calls are reading a log.
  absl::StatusOr<std::shared_ptr<Table>> Get(TableId id);

  // Returns the tables of `ids` that exist, from memory or from the log. If the log of a table
  // cannot be read or replayed, leaves out this table and still loads the other tables. Remembers
  // the error of such a table as Get does. If there is not enough room, leaves out the last tables.
  struct Many {
    std::vector<std::shared_ptr<Table>> tables;
    std::size_t without_room = 0;
  };
  absl::StatusOr<Many> GetMany(const std::vector<TableId>& ids);

  // Get and GetMany call `on_unreadable` on the caller's thread when the log of a table cannot be
  // read or replayed. Set this callback once, before the first call.
  void set_on_unreadable(std::function<void(TableId, const absl::Status&)> on_unreadable) {
    on_unreadable_ = std::move(on_unreadable);
  }

  // Adds a table that the store has just created. The log of this table is empty.
  void AddNew(TableConfig config);

  // Returns the table if it is in memory, and null if it is not.
  std::shared_ptr<Table> Find(TableId id) const;
  std::vector<TableId> Tables() const;  // The tables in memory.

  // Forgets `table`. Does nothing if the registry has another object for the same id. Needs the
  // table's lock.
  void Forget(const Table& table);

  // Makes a stale table equal to its log again, and shows watchers the newer state. The revision
  // may also become lower: in a failover to an asynchronous standby, the database may lose stored
  // entries (docs/runbook/postgres_failover.md). The clock starts anew after an outage, and also if
  // the revision has changed. If the database has lost the whole table, forgets the table and
  // returns NOT_FOUND TABLE_NOT_FOUND. Needs the table's lock.
  absl::Status Reload(Table& table);

  // Forgets each table that has no watcher and whose match ended before `time`. Also forgets the
  // error of each unreadable table that may be tried again.
  void ForgetFinishedBefore(absl::Time time);

  // Returns OK if `id` is in memory, or if there is room for this table and for `others` more
  // tables. If not, returns RESOURCE_EXHAUSTED TABLES_FULL.
  absl::Status CheckRoom(TableId id, std::size_t others = 0) const;

  // If the table is unreadable and the time for the next attempt has not come, returns the error of
  // the last attempt. If not, returns OK.
  absl::Status CheckReadable(TableId id) const;

  // Ends every stream with SHUTTING_DOWN, so that clients connect again.
  void EndWatchers();
  bool ending() const { return ending_; }

  // The numbers of tables in play, one for each phase, and the number of the watchers of all
  // tables.
  struct Counts {
    std::size_t dealing = 0;
    std::size_t playing = 0;
    std::size_t watchers = 0;
  };
  Counts Count() const;

  std::size_t Room() const;  // Returns how many more tables the registry may hold.

 private:
  std::shared_ptr<Table> Add(std::shared_ptr<Table> table);
  // Finds the tables of `wanted` that are not in `loaded`. Reads each of them alone, to learn its
  // error.
  void FindUnreadable(const std::vector<TableId>& wanted, const std::vector<StoredTable>& loaded);
  // Remembers and reports `status`, the error of an attempt to read the table.
  void NoteUnreadable(TableId id, const absl::Status& status);

  TableStore& store_;
  const std::size_t tables_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<TableId, std::shared_ptr<Table>> tables_;
  // The tables that could not be read, at most `tables_max_`.
  struct Unreadable {
    absl::Status status;
    absl::Time retry_time;
  };
  absl::flat_hash_map<TableId, Unreadable> unreadable_;
  std::atomic<int> loads_ = 0;  // Number of calls of Get that are reading a log.
  std::atomic<bool> ending_ = false;
  std::function<void(TableId, const absl::Status&)> on_unreadable_ = [](TableId,
                                                                        const absl::Status&) {};
};

// Every two seconds, sets the gauges and forgets tables whose match ended long ago. Runs by itself
// from Start until the scheduler is stopped.
class Housekeeping {
 public:
  Housekeeping(TableRegistry& registry, Clock& clock, Scheduler& scheduler, Metrics& metrics,
               absl::Duration forget_finished_after)
      : registry_(registry),
        clock_(clock),
        scheduler_(scheduler),
        metrics_(metrics),
        forget_finished_after_(forget_finished_after) {}

  void Start();

 private:
  TableRegistry& registry_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const absl::Duration forget_finished_after_;
};

}  // namespace tarot::rules_service
