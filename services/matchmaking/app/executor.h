// The background thread. Waves, answers of other services and the population run on it, one task
// after the other, so the data that they share needs no lock.
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

// Thread-safe. After Stop() no task starts; tasks that are still in the scheduler do nothing.
class Executor {
 public:
  // `thread` must run one task after the other, and none of them inside TryRun.
  Executor(Scheduler& scheduler, WorkerPool& thread);
  ~Executor() { Stop(); }

  // Returns false, and drops the task, when the queue is full.
  bool Run(absl::AnyInvocable<void()> task);
  // Runs the task after `delay`. Drops it if the queue is full then.
  void RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task);
  // Runs `task` every `period`, first after one `period`. If the queue is full, calls `missed`
  // instead, on the scheduler's thread; `missed` must not call this object.
  void RunEvery(absl::Duration period, std::function<void()> task, std::function<void()> missed);

  // An owner must stop the executor, and wait for the thread, before it destroys objects that the
  // tasks use.
  void Stop();

 private:
  struct State {
    explicit State(WorkerPool& pool) : thread(pool) {}
    bool Run(const std::shared_ptr<State>& self, absl::AnyInvocable<void()> task,
             const std::function<void()>& missed);
    bool Stopped();

    WorkerPool& thread;
    std::mutex mutex;
    bool stopped = false;
  };
  static void Repeat(Scheduler& scheduler, const std::shared_ptr<State>& state,
                     absl::Duration period, std::function<void()> task,
                     std::function<void()> missed);

  Scheduler& scheduler_;
  const std::shared_ptr<State> state_;  // Shared with the tasks in the scheduler.
};

}  // namespace tarot::matchmaking_service
