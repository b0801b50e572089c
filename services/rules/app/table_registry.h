// The tables in memory. They are loaded when they are needed and forgotten after the match; their
// number is limited.
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
  // The registry loads no further table while `tables_max` tables are in memory. The clock of a
  // table starts anew when the table is loaded.
  TableRegistry(TableStore& store, int tables_max, Clock& clock)
      : store_(store), tables_max_(static_cast<std::size_t>(tables_max)), clock_(clock) {}

  // Returns the table from memory or from the log. If the key of a secret is missing or the log
  // cannot be replayed, returns the same error without a call of the store until
  // kUnreadableRetryDelay has passed. Returns these errors:
  // - NOT_FOUND TABLE_NOT_FOUND and RESOURCE_EXHAUSTED TABLES_FULL;
  // - INTERNAL SECRET_UNREADABLE, or an error of Replay();
  // - UNAVAILABLE from the store;
  // - UNAVAILABLE OVERLOADED if kLoadsAtOnceMax calls already read a log.
  absl::StatusOr<std::shared_ptr<Table>> Get(TableId id);

  // Returns the tables of `ids` that exist, from memory or from the log. Leaves out a table whose
  // log cannot be read or replayed, so that the other tables still load. Remembers such tables as
  // Get does. If there is not enough room, leaves out the last tables.
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

  // Adds a table that the store has just created, so its log is empty.
  void AddNew(TableConfig config);

  // Returns the table from memory, or null.
  std::shared_ptr<Table> Find(TableId id) const;
  std::vector<TableId> Tables() const;  // The tables in memory.

  // Forgets `table`, unless the registry has another object with the same id. Needs the table's
  // lock.
  void Forget(const Table& table);

  // Makes a stale table equal to its log again, and shows watchers the newer state. The revision
  // may also become lower: the database may have lost stored entries in a failover to an
  // asynchronous standby (docs/runbook/postgres_failover.md). The clock starts anew after an
  // outage, and when the revision has changed. If the database has lost the table, forgets it and
  // returns NOT_FOUND TABLE_NOT_FOUND. Needs the table's lock.
  absl::Status Reload(Table& table);

  // Forgets each table that has no watcher and whose match ended before `time`. Also forgets
  // unreadable tables that may be tried again.
  void ForgetFinishedBefore(absl::Time time);

  // Returns RESOURCE_EXHAUSTED TABLES_FULL if `id` is not in memory and there is no room for it and
  // `others` more tables.
  absl::Status CheckRoom(TableId id, std::size_t others = 0) const;

  // If the table is unreadable and the time for the next try has not come, returns the error of the
  // last try.
  absl::Status CheckReadable(TableId id) const;

  // Ends every stream with SHUTTING_DOWN, so that clients connect again.
  void EndWatchers();
  bool ending() const { return ending_; }

  // Numbers of tables in play, by phase, and of the watchers of all tables.
  struct Counts {
    std::size_t dealing = 0;
    std::size_t playing = 0;
    std::size_t watchers = 0;
  };
  Counts Count() const;

 private:
  std::shared_ptr<Table> Add(std::shared_ptr<Table> table);
  // Reads one by one those tables of `wanted` that are not in `loaded`, to learn their errors.
  void FindUnreadable(const std::vector<TableId>& wanted, const std::vector<StoredTable>& loaded);
  // Remembers and reports the error `status` of an attempt to read the table.
  void NoteUnreadable(TableId id, const absl::Status& status);
  std::size_t Room() const;  // Returns how many more tables the registry may hold.

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
  std::atomic<int> loads_ = 0;  // Number of calls of Get that read a log now.
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
