// The tables in memory: loaded on a miss, forgotten when over, bounded.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/rules/app/table.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Thread-safe. What waits for the store says so.
class TableRegistry {
 public:
  // A table that has to be loaded was with no server until now: its clocks start then.
  TableRegistry(TableStore& store, int tables_max, Clock& clock)
      : store_(store), tables_max_(static_cast<std::size_t>(tables_max)), clock_(clock) {}

  // From memory, or from the log, for which it waits. NOT_FOUND TABLE_NOT_FOUND;
  // RESOURCE_EXHAUSTED TABLES_FULL; UNAVAILABLE from the store.
  absl::StatusOr<std::shared_ptr<Table>> Get(TableId id);

  // As Get, of those of `ids` that there are; waits for the store. One whose log cannot be replayed
  // is left out, and so are the last ones when there is no room for all: they must not hold up the
  // others.
  struct Many {
    std::vector<std::shared_ptr<Table>> tables;
    std::size_t without_room = 0;
  };
  absl::StatusOr<Many> GetMany(const std::vector<TableId>& ids);

  // From memory, or null.
  std::shared_ptr<Table> Find(TableId id) const;
  std::vector<TableId> Tables() const;  // Those in memory.

  // Lets go of `table`, if it is still what its id stands for. Needs the hold.
  void Forget(const Table& table);

  // Brings a stale table to its log: forwards, or back when the database has lost what it had
  // stored, as an asynchronous standby may (docs/runbook/postgres_failover.md). Then, after an
  // outage, and where nobody was shown what it lacks, its clock starts anew. Needs the hold; waits
  // for the store. Watchers see what they missed. A table that the database has lost altogether is
  // let go of: NOT_FOUND TABLE_NOT_FOUND.
  absl::Status Reload(Table& table);

  // Forgets tables whose match was over before `time` and that nobody watches.
  void ForgetFinishedBefore(absl::Time time);

  // RESOURCE_EXHAUSTED TABLES_FULL when one more table would not fit.
  absl::Status CheckRoom(TableId id) const;

  // Ends every stream, so that its client connects anew: this process is stopping.
  void EndWatchers();
  bool ending() const { return ending_; }
  static absl::Status Ending();  // What they are told: UNAVAILABLE SHUTTING_DOWN.

  // Of tables in play: how many, and how many watchers in all.
  struct Counts {
    std::size_t dealing = 0;
    std::size_t playing = 0;
    std::size_t watchers = 0;
  };
  Counts Count() const;

 private:
  std::shared_ptr<Table> Add(std::shared_ptr<Table> table);
  std::size_t Room() const;  // For so many more.

  TableStore& store_;
  const std::size_t tables_max_;
  Clock& clock_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<TableId, std::shared_ptr<Table>> tables_;
  std::atomic<bool> ending_ = false;
};

}  // namespace tarot::rules_service
