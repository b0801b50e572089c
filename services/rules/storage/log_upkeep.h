// Declares the job that runs every minute: it makes the missing partitions of the logs, and moves
// finished matches to the archive.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/pg/pool.h"
#include "services/rules/metrics.h"
#include "services/rules/storage/archiver.h"

namespace tarot::rules_service {

// Runs by itself from Start until the scheduler and the workers are stopped.
class LogUpkeep {
 public:
  // `archiver` is null if there is no archive. MakeLogPartitions() describes the two pools.
  LogUpkeep(pg::Pool& pool, pg::Pool& slow_pool, Archiver* archiver, WorkerPool& workers,
            Clock& clock, Scheduler& scheduler, LogMetrics& metrics)
      : pool_(pool),
        slow_pool_(slow_pool),
        archiver_(archiver),
        workers_(workers),
        clock_(clock),
        scheduler_(scheduler),
        metrics_(metrics) {}

  // The job calls `on_failed` on a worker when a run fails. Set this callback once, before Start.
  void set_on_failed(std::function<void(const absl::Status&)> on_failed) {
    on_failed_ = std::move(on_failed);
  }

  void Start() { PlanNext(absl::ZeroDuration()); }
  // After this call, the job begins no further partition and no further file. Thread-safe.
  void Stop() { stopping_ = true; }

 private:
  void PlanNext(absl::Duration delay);
  void Run();
  absl::Status Archive();

  pg::Pool& pool_;
  pg::Pool& slow_pool_;
  Archiver* const archiver_;
  WorkerPool& workers_;
  Clock& clock_;
  Scheduler& scheduler_;
  LogMetrics& metrics_;
  std::atomic<bool> stopping_ = false;
  std::function<void(const absl::Status&)> on_failed_ = [](const absl::Status&) {};
};

}  // namespace tarot::rules_service
