// Declares the job that runs every minute: it makes the missing partitions of the logs, and moves
// finished matches to the archive.
#pragma once

#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/metrics.h"
#include "services/rules/storage/archiver.h"
#include "services/rules/storage/log_partitions.h"

namespace tarot::rules_service {

// Runs by itself from Start until the scheduler and the workers are stopped. All arguments of the
// constructor must outlive this object.
class LogUpkeep {
 public:
  // `archiver` is null if there is no archive.
  LogUpkeep(LogPartitioner& partitioner, Archiver* archiver, UpkeepStop& stop, WorkerPool& workers,
            Clock& clock, Scheduler& scheduler, LogMetrics& metrics)
      : partitioner_(partitioner),
        archiver_(archiver),
        stop_(stop),
        workers_(workers),
        clock_(clock),
        scheduler_(scheduler),
        metrics_(metrics) {}

  // The job calls `on_failed` on a worker when a run fails. Set this callback once, before Start.
  void set_on_failed(std::function<void(const absl::Status&)> on_failed) {
    on_failed_ = std::move(on_failed);
  }

  void Start();

 private:
  void PlanNext(absl::Duration delay);
  void Run();
  // Returns true if the archiver has done all its work, and false if another replica archives now.
  absl::StatusOr<bool> Archive();

  LogPartitioner& partitioner_;
  Archiver* const archiver_;
  UpkeepStop& stop_;
  WorkerPool& workers_;
  Clock& clock_;
  Scheduler& scheduler_;
  LogMetrics& metrics_;
  std::function<void(const absl::Status&)> on_failed_ = [](const absl::Status&) {};
};

}  // namespace tarot::rules_service
