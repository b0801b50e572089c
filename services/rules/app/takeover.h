// Follows the list of replicas. Releases tables that got another host, acquires tables that this
// replica now hosts, and finds tables to whose log another replica wrote.
#pragma once

#include <mutex>
#include <vector>

#include "absl/container/btree_set.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Thread-safe. It sets no timers: each heartbeat starts the work that is due.
class Takeover {
 public:
  Takeover(TableService& tables, TableRegistry& registry, TableStore& store, const Hosting& hosting,
           WorkerPool& workers, Clock& clock, Metrics& metrics);

  // Call this function after each heartbeat. Releases at once the tables that have another host
  // now. If the other replicas treated this replica as dead for a time, releases all tables.
  // Workers look for missing tables and load them at these times:
  // - at a change of the list and at the next two heartbeats, because replicas that do not know the
  //   change yet may store moves that this replica does not see;
  // - once more when every replica must know the change;
  // - every half minute while the list does not change;
  // - at the next heartbeat after a failure.
  void OnHeartbeat(const cluster::HeartbeatNews& news);

 private:
  void Release(const cluster::HeartbeatNews& news);
  bool SweepIsDue(const cluster::HeartbeatNews& news);  // Needs the mutex.
  // A sweep is one search for missing tables; only one runs at a time. Plan begins it, and Sweep
  // lists the missing tables. Several workers run Load. The last of them calls End, which begins
  // the next sweep if one is wanted.
  void Plan();
  void Sweep();
  absl::Status List();
  void AddMissing(const std::vector<LiveTable>& page);
  void CatchUpEnded(const absl::btree_set<TableId>& tables);
  void CatchUp(TableId table);
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
  // True if the last sweep failed. Then the next heartbeat begins another one.
  bool failed_ = false;
  bool running_ = false;
  bool wanted_ = false;
  // The time of the oldest change of the list for which a sweep is still to begin; InfiniteFuture
  // if there is none.
  absl::Time changed_ = absl::InfiniteFuture();

  // The following members describe the running sweep.
  absl::Time sweep_changed_ = absl::InfiniteFuture();
  // The tables that are still to be loaded. They are taken from the end.
  std::vector<TableId> missing_;
  int loaders_ = 0;               // Number of workers that load.
  absl::Status load_status_;      // The first error of a worker in Load.
  std::size_t without_room_ = 0;  // Number of tables for which this sweep has no room.
};

}  // namespace tarot::rules_service
