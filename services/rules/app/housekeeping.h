// Every few seconds: gauges, and memory of matches that are over.
#pragma once

#include "libs/base/clock.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Runs by itself from Start until the scheduler is stopped.
class Housekeeping {
 public:
  Housekeeping(TableRegistry& registry, Clock& clock, Scheduler& scheduler, Metrics& metrics,
               absl::Duration forget_finished_after)
      : registry_(registry),
        clock_(clock),
        scheduler_(scheduler),
        metrics_(metrics),
        forget_finished_after_(forget_finished_after) {}

  void Start() {
    const TableRegistry::Counts counts = registry_.Count();
    metrics_.tables_dealing.Set(static_cast<double>(counts.dealing));
    metrics_.tables_playing.Set(static_cast<double>(counts.playing));
    metrics_.watchers_open.Set(static_cast<double>(counts.watchers));
    registry_.ForgetFinishedBefore(clock_.Now() - forget_finished_after_);
    scheduler_.After(absl::Seconds(2), [this] { Start(); });
  }

 private:
  TableRegistry& registry_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const absl::Duration forget_finished_after_;
};

}  // namespace tarot::rules_service
