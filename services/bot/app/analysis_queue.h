// The queue of running analyses. Each analysis judges one decision and then goes to the end of the
// queue. So a short analysis does not wait until a long analysis is over.
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

// Gets the results of one analysis. Worker threads call its functions, one call at a time. The
// functions must not block.
class AnalysisListener {
 public:
  virtual ~AnalysisListener() = default;
  virtual void Decided(const ai::DecisionReport& report, int done, int total) = 0;
  virtual void Summed(const ai::DealReport& summary, int total) = 0;
  // The last call. The status is OK after the summary, CANCELLED if the client is gone, or
  // UNAVAILABLE SHUTTING_DOWN or OVERLOADED if the service stops.
  virtual void Ended(const absl::Status& status) = 0;
  // Returns true if the client is gone. Then the analysis stops soon. Any thread may call this
  // function.
  virtual bool Gone() const = 0;
};

// Thread-safe. `workers` must outlive this object and hold at least `analyses_max` jobs.
class AnalysisQueue {
 public:
  AnalysisQueue(WorkerPool& workers, int analyses_max, Metrics& metrics);

  // Starts an analysis. `player` may be empty. Returns RESOURCE_EXHAUSTED ANALYSIS_RUNNING if an
  // analysis of this player runs. Returns UNAVAILABLE OVERLOADED if `analyses_max` analyses run,
  // and SHUTTING_DOWN after Stop. After an error, the listener is not called.
  absl::Status Start(PlayerId player, ai::Analyzer analyzer,
                     std::shared_ptr<AnalysisListener> listener);

  // Ends all analyses soon, and refuses new analyses. Does not wait.
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
