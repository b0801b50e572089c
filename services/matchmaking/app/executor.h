// Declares the executor, which runs tasks on the background thread, one after the other. The tasks
// are the waves, the population, and the handling of answers from other services. Because only one
// task runs at a time, these tasks can share data without a lock.
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

// Thread-safe. After Stop(), no task starts: the functions below then drop their tasks.
class Executor {
 public:
  // `thread` must run its tasks one after another, and must not run a task inside TryRun.
  Executor(Scheduler& scheduler, WorkerPool& thread);
  ~Executor() { Stop(); }

  // Queues the task. If the thread's queue is full, drops the task and returns false.
  bool Run(absl::AnyInvocable<void()> task);
  // Runs the task after `delay`. If the thread's queue is full at that time, drops the task.
  void RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task);
  // Runs `task` after each `period`; the first run is one `period` from now. If the thread's queue
  // is full when the task should run, skips this run and calls `missed` on the scheduler's thread.
  // `missed` must not call this object.
  void RunEvery(absl::Duration period, std::function<void()> task, std::function<void()> missed);

  // Before you destroy objects that tasks use, call this function. Then wait for the thread to
  // finish.
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
  // The executor and the tasks in the scheduler share this object.
  const std::shared_ptr<State> state_;
};

}  // namespace tarot::matchmaking_service
