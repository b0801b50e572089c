// The one background thread: waves, answers of other services, and the population run on it, one
// after the other, so that what they share needs no lock.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"

namespace tarot::matchmaking_service {

// Thread-safe. After Stop() nothing starts any more; tasks left in the scheduler do nothing.
class Jobs {
 public:
  // `thread` runs one job after the other, none of them inside TryRun.
  Jobs(Scheduler& scheduler, WorkerPool& thread);
  ~Jobs() { Stop(); }

  // False, and nothing done, when the queue is full.
  bool Run(absl::AnyInvocable<void()> job);
  // Dropped when the queue is full then.
  void RunAfter(absl::Duration delay, absl::AnyInvocable<void()> job);
  // For ever, first after one `period`. `missed` is called instead, on the scheduler's thread, when
  // the queue is full; it must not come back here.
  void RunEvery(absl::Duration period, std::function<void()> job, std::function<void()> missed);

  // Whoever destroys what the jobs use stops them first, then waits for the thread.
  void Stop();

 private:
  struct State {
    explicit State(WorkerPool& pool) : thread(pool) {}
    bool Run(const std::shared_ptr<State>& self, absl::AnyInvocable<void()> job,
             const std::function<void()>& missed);
    bool Stopped();

    WorkerPool& thread;
    std::mutex mutex;
    bool stopped = false;
  };
  static void Repeat(Scheduler& scheduler, const std::shared_ptr<State>& state,
                     absl::Duration period, std::function<void()> job,
                     std::function<void()> missed);

  Scheduler& scheduler_;
  const std::shared_ptr<State> state_;  // Outlives us in the scheduler.
};

}  // namespace tarot::matchmaking_service
