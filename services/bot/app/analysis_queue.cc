#include "services/bot/app/analysis_queue.h"

#include <utility>

#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "services/bot/app/errors.h"

namespace tarot::bot_service {

AnalysisQueue::AnalysisQueue(WorkerPool& workers, int analyses_max, Metrics& metrics)
    : workers_(workers), analyses_max_(analyses_max), metrics_(metrics) {}

absl::Status AnalysisQueue::Start(PlayerId player, ai::Analyzer analyzer,
                                  std::shared_ptr<AnalysisListener> listener) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return error::ShuttingDown();
    if (running_ >= analyses_max_) return error::Overloaded();
    if (!player.empty() && !players_.insert(player).second) return error::AnalysisRunning();
    ++running_;
  }
  metrics_.analyses_running.Increment();
  Continue(std::make_shared<Job>(Job{player, std::move(analyzer), std::move(listener)}));
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

void AnalysisQueue::Continue(std::shared_ptr<Job> job) {
  if (workers_.TryRun([this, job] { Step(job); })) return;
  End(*job, error::Overloaded(), metrics_.analyses_failed);  // The workers have stopped.
}

void AnalysisQueue::Step(const std::shared_ptr<Job>& job) {
  const auto stop = [&] { return stopping() || job->listener->Gone(); };
  const Stopwatch stopwatch;
  const auto report = stop() || job->analyzer.Done() ? std::nullopt : job->analyzer.Next(stop);
  if (job->listener->Gone()) return End(*job, absl::CancelledError(), metrics_.analyses_cancelled);
  if (stopping()) return End(*job, error::ShuttingDown(), metrics_.analyses_failed);
  if (report) {
    metrics_.analysis_decision_seconds.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
    job->listener->Decided(*report, report->entry + 1, job->analyzer.decisions());
  }
  if (!job->analyzer.Done()) return Continue(job);
  job->listener->Summed(job->analyzer.Summary(), job->analyzer.decisions());
  End(*job, absl::OkStatus(), metrics_.analyses_done);
}

void AnalysisQueue::End(const Job& job, const absl::Status& status, prometheus::Counter& outcome) {
  {
    const std::lock_guard lock(mutex_);
    --running_;
    if (!job.player.empty()) players_.erase(job.player);
  }
  metrics_.analyses_running.Decrement();
  outcome.Increment();
  job.listener->Ended(status);
}

}  // namespace tarot::bot_service
