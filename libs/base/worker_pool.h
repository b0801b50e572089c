// A fixed number of threads behind a queue of fixed size. Handlers may wait for Postgres there.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace tarot {

class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  // Returns false and does nothing if the queue is full. Thread-safe.
  virtual bool TryRun(absl::AnyInvocable<void()> job) = 0;
};

class ThreadWorkerPool final : public WorkerPool {
 public:
  // `nice` is the nice value of the threads, from 0 to 19. While other threads of the process want
  // the processor, threads with a higher value get less of it.
  ThreadWorkerPool(int threads, int queue_size_max, int nice = 0);
  ~ThreadWorkerPool() override;  // Calls Stop().

  bool TryRun(absl::AnyInvocable<void()> job) override;

  // Runs the queued jobs, joins the threads, and refuses later jobs. Idempotent. Call it from one
  // thread only.
  void Stop();

 private:
  void Run(int nice);
  bool MustWake();  // Needs mutex_. If it returns true, notify one worker after unlocking.

  const std::size_t queue_size_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<absl::AnyInvocable<void()>> queue_;
  bool stopping_ = false;
  int sleeping_ = 0;
  bool waking_ = false;  // A sleeping worker has been notified and will check the queue.
  std::vector<std::thread> threads_;
};

// Runs each job at once on the caller's thread, for simulation and unit tests.
class InlineWorkerPool final : public WorkerPool {
 public:
  bool TryRun(absl::AnyInvocable<void()> job) override {
    job();
    return true;
  }
};

}  // namespace tarot
