// The queue of running analyses. Each analysis judges one decision and then goes to the end of the
// queue. So a short analysis does not wait for the end of a long one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "libs/ai/analysis/analyzer.h"
#include "libs/base/ids.h"
#include "libs/base/worker_pool.h"
#include "services/bot/metrics.h"

namespace tarot::bot_service {

// The client of an analysis. Worker threads call it, one call at a time. It must not block.
class AnalysisListener {
 public:
  virtual ~AnalysisListener() = default;
  virtual void Decided(const ai::DecisionReport& report, int done, int total) = 0;
  virtual void Summed(const ai::DealReport& summary, int total) = 0;
  // The last call. The status is OK after the summary, UNAVAILABLE OVERLOADED or SHUTTING_DOWN, or
  // CANCELLED.
  virtual void Ended(const absl::Status& status) = 0;
  // Returns whether the client is gone; the analysis then stops soon. Any thread may call it.
  virtual bool Gone() const = 0;
};

// Thread-safe. `workers` must outlive this object and hold at least `analyses_max` jobs.
class AnalysisQueue {
 public:
  AnalysisQueue(WorkerPool& workers, int analyses_max, Metrics& metrics);

  // Starts an analysis. Returns RESOURCE_EXHAUSTED ANALYSIS_RUNNING if `player` (not empty) has one
  // that runs, and UNAVAILABLE OVERLOADED if too many run. After an error the listener is not
  // called.
  absl::Status Start(PlayerId player, ai::Analyzer analyzer,
                     std::shared_ptr<AnalysisListener> listener);

  // Ends all analyses soon and refuses new ones.
  void Stop();

 private:
  struct Job {
    PlayerId player;
    ai::Analyzer analyzer;
    std::shared_ptr<AnalysisListener> listener;
  };

  bool stopping() const;
  void Continue(std::shared_ptr<Job> job);
  void Step(const std::shared_ptr<Job>& job);
  void End(const Job& job, const absl::Status& status, prometheus::Counter& outcome);

  WorkerPool& workers_;
  const int analyses_max_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  int running_ = 0;
  absl::flat_hash_set<PlayerId> players_;
};

}  // namespace tarot::bot_service
