#include "services/bot/app/analysis_queue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "services/bot/app/errors.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {

AnalysisQueue::AnalysisQueue(WorkerPool& workers, SlotLimit limit, Clock& clock, Metrics& metrics)
    : workers_(workers), clock_(clock), metrics_(metrics), slots_(limit) {}

absl::Status AnalysisQueue::Start(const SlotHolder& holder, ai::Analyzer analyzer,
                                  std::shared_ptr<AnalysisListener> listener) {
  if (stopping()) return error::ShuttingDown();
  switch (slots_.Acquire(holder)) {
    case SlotAnswer::kTaken:
      break;
    case SlotAnswer::kPlayerFull:
      return error::AnalysisRunning();
    case SlotAnswer::kAddressFull:
      return error::TooManyAnalyses();
    case SlotAnswer::kAllFull:
      return error::Overloaded();
  }
  metrics_.analyses_running.Increment();
  auto job = std::make_shared<Job>(Job{.holder = holder,
                                       .analyzer = std::move(analyzer),
                                       .listener = std::move(listener),
                                       .start = clock_.Now()});
  {
    const std::lock_guard lock(mutex_);
    job->used = taken_used_;
  }
  Continue(std::move(job));
  return absl::OkStatus();
}

void AnalysisQueue::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
}

bool AnalysisQueue::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool AnalysisQueue::TooLong(const Job& job) const {
  return clock_.Now() - job.start > kAnalysisTimeMax;
}

void AnalysisQueue::Continue(std::shared_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  if (workers_.TryRun([this] { Step(); })) return;
  // The workers have stopped.
  const std::shared_ptr<Job> last = Take();
  End(*last, error::Overloaded(), metrics_.analyses_failed);
}

std::shared_ptr<AnalysisQueue::Job> AnalysisQueue::Take() {
  const std::lock_guard lock(mutex_);
  const auto must_end = [this](const auto& job) { return job->listener->Gone() || TooLong(*job); };
  auto next = std::find_if(waiting_.begin(), waiting_.end(), must_end);
  if (next == waiting_.end()) {
    next = std::min_element(waiting_.begin(), waiting_.end(),
                            [](const auto& a, const auto& b) { return a->used < b->used; });
    taken_used_ = std::max(taken_used_, (*next)->used);
  }
  std::shared_ptr<Job> job = std::move(*next);
  waiting_.erase(next);
  return job;
}

void AnalysisQueue::Step() {
  const std::shared_ptr<Job> job = Take();
  const auto stop = [&] { return stopping() || job->listener->Gone() || TooLong(*job); };
  const absl::Time begin = clock_.Now();
  const auto report = stop() || job->analyzer.Done() ? std::nullopt : job->analyzer.Next(stop);
  const absl::Duration used = clock_.Now() - begin;
  if (job->listener->Gone()) return End(*job, absl::CancelledError(), metrics_.analyses_cancelled);
  if (stopping()) return End(*job, error::ShuttingDown(), metrics_.analyses_failed);
  if (TooLong(*job)) return End(*job, error::AnalysisTooLong(), metrics_.analyses_failed);
  job->used += used;
  if (report) {
    metrics_.analysis_decision_seconds.Observe(absl::ToDoubleSeconds(used));
    job->listener->Decided(*report, report->entry + 1, job->analyzer.decisions());
  }
  if (!job->analyzer.Done()) return Continue(job);
  job->listener->Summed(job->analyzer.Summary(), job->analyzer.decisions());
  End(*job, absl::OkStatus(), metrics_.analyses_done);
}

void AnalysisQueue::End(const Job& job, const absl::Status& status, prometheus::Counter& outcome) {
  slots_.Release(job.holder);
  metrics_.analyses_running.Decrement();
  outcome.Increment();
  job.listener->Ended(status);
}

}  // namespace tarot::bot_service
