// Declares the queue of the running analyses. The analyses share the workers equally: the next
// decision always belongs to the analysis that has used the least time. So a short analysis does
// not wait for the end of a long one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/ai/analysis/analyzer.h"
#include "libs/base/clock.h"
#include "libs/base/slots.h"
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
  // The queue calls this function last. The status is OK after the summary, CANCELLED if the client
  // is gone, RESOURCE_EXHAUSTED ANALYSIS_TOO_LONG after kAnalysisTimeMax, or UNAVAILABLE
  // SHUTTING_DOWN or OVERLOADED if the service stops.
  virtual void Ended(const absl::Status& status) = 0;
  // Returns true if the client is gone. Then the analysis stops soon. Any thread may call this
  // function.
  virtual bool Gone() const = 0;
};

// Thread-safe. `workers` must outlive this object, and their queue must have room for `limit.all`
// jobs.
class AnalysisQueue {
 public:
  AnalysisQueue(WorkerPool& workers, SlotLimit limit, Clock& clock, Metrics& metrics);

  // Starts an analysis. Returns RESOURCE_EXHAUSTED ANALYSIS_RUNNING at the limit of the player, and
  // RATE_LIMITED at the limit of the address. Returns UNAVAILABLE OVERLOADED if `limit.all`
  // analyses run, and SHUTTING_DOWN after Stop. After an error, the listener is not called.
  absl::Status Start(const SlotHolder& holder, ai::Analyzer analyzer,
                     std::shared_ptr<AnalysisListener> listener);

  // Ends all analyses soon, and refuses new analyses. Does not wait.
  void Stop();

 private:
  struct Job {
    SlotHolder holder;
    ai::Analyzer analyzer;
    std::shared_ptr<AnalysisListener> listener;
    absl::Time start;
    // The time that the job's decisions have used, plus the value of `taken_used_` at the start of
    // the job. If a new job started with zero, all older jobs would wait until the new job had used
    // as much time as they have.
    absl::Duration used;
  };

  bool stopping() const;
  bool TooLong(const Job& job) const;
  void Continue(std::shared_ptr<Job> job);
  // Removes the next job from waiting_ and returns it. This is a job that must end, if there is
  // one. If not, it is the job with the smallest `used`.
  std::shared_ptr<Job> Take();
  void Step();  // Runs one decision of the job that Take() returns.
  void End(const Job& job, const absl::Status& status, prometheus::Counter& outcome);

  WorkerPool& workers_;
  Clock& clock_;
  Metrics& metrics_;
  Slots slots_;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::vector<std::shared_ptr<Job>> waiting_;  // Jobs that wait for a worker, in order of arrival.
  absl::Duration taken_used_;  // The largest `used` of all jobs that Take() has chosen by time.
};

}  // namespace tarot::bot_service
