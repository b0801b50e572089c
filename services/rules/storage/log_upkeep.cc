#include "services/rules/storage/log_upkeep.h"

#include "libs/base/error.h"
#include "services/rules/limits.h"
#include "services/rules/storage/log_partitions.h"

namespace tarot::rules_service {

void LogUpkeep::PlanNext(absl::Duration delay) {
  scheduler_.After(delay, [this] {
    if (!workers_.TryRun([this] { Run(); })) PlanNext(kLogUpkeepInterval);
  });
}

void LogUpkeep::Run() {
  if (stopping_) return;
  const absl::StatusOr<int> made = MakeLogPartitions(pool_, slow_pool_, clock_.Now());
  metrics_.partitions_made.Increment(made.value_or(0));
  absl::Status status = made.status();
  if (archiver_ != nullptr) status.Update(Archive());
  if (!status.ok()) {
    metrics_.runs_failed.Increment();
    on_failed_(status);
  }
  PlanNext(kLogUpkeepInterval);
}

absl::Status LogUpkeep::Archive() {
  absl::Status status;
  for (int i = 0; i < kArchiveRunsMax && !stopping_; ++i) {
    const absl::StatusOr<ArchiveRun> run = archiver_->RunOnce(clock_.Now());
    status = run.status();
    if (!run.ok() || run->did_nothing()) break;
    metrics_.archived_deals.Increment(run->deals);
    metrics_.archived_bytes.Increment(static_cast<double>(run->bytes));
    if (run->dropped) metrics_.partitions_dropped.Increment();
  }
  TAROT_ASSIGN_OR_RETURN(const absl::Duration overdue, archiver_->Overdue(clock_.Now()));
  metrics_.archive_overdue.Set(absl::ToDoubleSeconds(overdue));
  return status;
}

}  // namespace tarot::rules_service
