#include "services/rules/storage/log_upkeep.h"

#include "libs/base/error.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

void LogUpkeep::Start() {
  metrics_.upkeep_success.Set(static_cast<double>(absl::ToUnixSeconds(clock_.Now())));
  PlanNext(absl::ZeroDuration());
}

void LogUpkeep::PlanNext(absl::Duration delay) {
  scheduler_.After(delay, [this] {
    if (!workers_.TryRun([this] { Run(); })) PlanNext(kLogUpkeepInterval);
  });
}

void LogUpkeep::Run() {
  if (stop_.stopped()) return;
  const absl::StatusOr<int> made = partitioner_.MakeAhead(clock_.Now());
  metrics_.partitions_made.Increment(made.value_or(0));
  absl::Status status = made.status();
  bool done = true;
  if (archiver_ != nullptr) {
    const absl::StatusOr<bool> archived = Archive();
    status.Update(archived.status());
    done = archived.value_or(false);
  }
  if (stop_.stopped()) return;  // The stop may have caused the error, so ignore it.
  if (!status.ok()) {
    metrics_.runs_failed.Increment();
    on_failed_(status);
  } else if (done) {
    metrics_.upkeep_success.Set(static_cast<double>(absl::ToUnixSeconds(clock_.Now())));
  }
  PlanNext(kLogUpkeepInterval);
}

absl::StatusOr<bool> LogUpkeep::Archive() {
  absl::Status status;
  bool busy = false;
  for (int i = 0; i < kArchiveRunsMax && !busy && !stop_.stopped(); ++i) {
    const absl::StatusOr<ArchiveRun> run = archiver_->RunOnce(clock_.Now());
    status = run.status();
    if (!run.ok() || (run->did_nothing() && !run->busy)) break;
    busy = run->busy;
    metrics_.archived_deals.Increment(run->deals);
    metrics_.archived_bytes.Increment(static_cast<double>(run->bytes));
    if (run->dropped) metrics_.partitions_dropped.Increment();
  }
  TAROT_ASSIGN_OR_RETURN(const absl::Duration overdue, archiver_->Overdue(clock_.Now()));
  metrics_.archive_overdue.Set(absl::ToDoubleSeconds(overdue));
  TAROT_RETURN_IF_ERROR(status);
  return !busy;
}

}  // namespace tarot::rules_service
