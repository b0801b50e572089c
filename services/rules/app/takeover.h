// Declares the object that follows the list of replicas. It releases tables that got another host,
// and acquires tables that this replica hosts now. It also finds tables to whose log another
// replica wrote.
#pragma once

#include <mutex>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Thread-safe. The object sets no timers. Each heartbeat starts the work that must be done at that
// time.
class Takeover {
 public:
  Takeover(TableService& tables, TableRegistry& registry, TableStore& store, const Hosting& hosting,
           WorkerPool& workers, Clock& clock, Metrics& metrics);

  // Call this function after each heartbeat. Releases at once the tables that have another host
  // now. If the other replicas treated this replica as dead for a time, releases all tables.
  // Workers look for missing tables and load them at these times:
  // - at a change of the list and at the next two heartbeats, because replicas that do not know the
  //   change yet may store moves that this replica does not see;
  // - once more after a time in which every replica has learned the change;
  // - every half minute while the list does not change;
  // - at the next heartbeat after a failure.
  // The cost for the database depends on the tables of this replica and on the new tables. Only
  // after a change of the list, and every ten minutes, a sweep reads the ids of all tables in play.
  // While the list does not change, a sweep does not compare a table for which this replica stored
  // an entry since the previous sweep. The database accepts only the entry that follows the newest
  // revision, so this replica had the newest revision then.
  void OnHeartbeat(const cluster::HeartbeatNews& news);

 private:
  void Release(const cluster::HeartbeatNews& news);
  bool SweepIsDue(const cluster::HeartbeatNews& news);  // Needs the mutex.
  // A sweep is one search for missing tables. Only one sweep runs at a time. Plan begins the sweep,
  // and Sweep lists the missing tables. Several workers run Load, and the last of these workers
  // calls End. If another sweep is wanted, End begins it.
  void Plan();
  void Sweep();
  absl::Status List();
  // Adds to not_acquired_ the tables in play that this replica should host. If the last full list
  // is not old, reads only the tables that were made since the last list. Returns whether this
  // sweep must compare all tables in memory with their logs, because the list of replicas has
  // changed.
  absl::StatusOr<bool> ListTables();
  // Finds out which of these tables have a newer log, and makes TableService read these logs.
  absl::Status CatchUp(const std::vector<TableRevision>& tables);
  void Load();
  // Returns the next tables to load. The result is empty when none is left or the sweep has failed.
  std::vector<TableId> NextToLoad();
  void End(const absl::Status& status);

  TableService& tables_;
  TableRegistry& registry_;
  TableStore& store_;
  const Hosting& hosting_;
  WorkerPool& workers_;
  Clock& clock_;
  Metrics& metrics_;

  std::mutex mutex_;  // Guards all members below.
  int heartbeats_since_change_ = 0;
  int heartbeats_since_sweep_ = 0;
  // True if the last sweep failed. In this case the next heartbeat begins another sweep.
  bool failed_ = false;
  // True if the next sweep must read the ids of all tables in play.
  bool full_list_wanted_ = true;
  bool running_ = false;
  bool wanted_ = false;
  // The time of the oldest change of the list that still needs a sweep. InfiniteFuture if no change
  // needs a sweep.
  absl::Time changed_ = absl::InfiniteFuture();

  // Only the running sweep uses the following four members, on one thread at a time.
  // The tables in play that this replica hosts and has not acquired, as far as it knows.
  absl::btree_set<TableId> not_acquired_;
  // The next list has only the tables that were made after this time.
  absl::Time listed_until_ = absl::InfinitePast();
  int sweeps_since_full_list_ = 0;
  // The revision in memory, at the last sweep, of each table in play that this replica hosts.
  absl::flat_hash_map<TableId, int> seen_;

  // The following members describe the running sweep.
  absl::Time sweep_changed_ = absl::InfiniteFuture();
  // The tables that are still to be loaded. They are taken from the end.
  std::vector<TableId> missing_;
  int loaders_ = 0;               // Number of workers that load.
  absl::Status load_status_;      // The first error of a worker in Load.
  std::size_t without_room_ = 0;  // Number of tables for which this sweep has no room.
};

}  // namespace tarot::rules_service
