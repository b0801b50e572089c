// Keeps the tables in memory in line with who hosts them: lets go of those that moved away, takes
// up those that came, and looks now and then whether another replica wrote what this one missed.
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

// Thread-safe. Needs no clock of its own: it is driven by the beats.
class Takeover {
 public:
  Takeover(TableService& tables, TableRegistry& registry, TableStore& store, const Hosting& hosting,
           WorkerPool& workers, Clock& clock, Metrics& metrics);

  // Call it after each beat. Tables that this replica may no longer rely on are let go before it
  // returns; the others are loaded on workers, at once after a change, again at the two beats in
  // which the other replicas hear of it, for until then they may store moves that nobody here is
  // shown, once more when everybody must have heard, and every half minute.
  void OnBeat(const cluster::BeatNews& news);

 private:
  // Counted in beats. Within the first the others let go of their tables, as a rule, and within the
  // second also if they are slow.
  static constexpr int kBeatsToHear = 2;
  static constexpr int kBeatsToSettle = 5;
  static constexpr int kBeatsBetweenSweeps = 30;

  void LetGo(const cluster::BeatNews& news);
  bool SweepIsDue(const cluster::BeatNews& news);  // Needs the mutex.
  // One sweep after the other, while one is wanted: Sweep lists what is missing, some workers Load
  // it between them, and the last of these ends it.
  void Plan();
  void Sweep();
  absl::Status List();
  void AddMissing(const std::vector<LiveTable>& page);
  void CatchUpEnded(const absl::btree_set<TableId>& tables);
  void CatchUp(TableId table);
  void Load();
  std::vector<TableId> NextToLoad();  // Empty when nothing is left, or the sweep has failed.
  void End(const absl::Status& status);

  TableService& tables_;
  TableRegistry& registry_;
  TableStore& store_;
  const Hosting& hosting_;
  WorkerPool& workers_;
  Clock& clock_;
  Metrics& metrics_;

  std::mutex mutex_;  // Guards all below.
  int beats_since_change_ = 0;
  int beats_since_sweep_ = 0;
  bool failed_ = false;  // The last sweep; the next beat asks for another.
  bool running_ = false;
  bool wanted_ = false;
  absl::Time changed_ = absl::InfiniteFuture();  // Since when tables wait to be taken up.

  // Of the sweep that runs.
  absl::Time sweep_changed_ = absl::InfiniteFuture();  // What changed_ was.
  std::vector<TableId> missing_;                       // To be loaded: from its end.
  int loaders_ = 0;                                    // Workers that have not ended.
  absl::Status load_status_;                           // The first error of a loader.
  std::size_t without_room_ = 0;                       // Left to the next sweep.
};

}  // namespace tarot::rules_service
