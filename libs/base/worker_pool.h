// A fixed number of threads behind a fixed queue: where handlers may wait for Postgres.
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
  // False, and nothing done, when the queue is full. Any thread.
  virtual bool TryRun(absl::AnyInvocable<void()> job) = 0;
};

class ThreadWorkerPool final : public WorkerPool {
 public:
  ThreadWorkerPool(int threads, int queue_size_max);
  ~ThreadWorkerPool() override;  // Stops.

  bool TryRun(absl::AnyInvocable<void()> job) override;

  // Runs what is queued, joins, and refuses everything from then on. Idempotent; one thread only.
  void Stop();

 private:
  void Run();
  bool MustWake();  // Needs mutex_. Then notify one, without it.

  const std::size_t queue_size_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<absl::AnyInvocable<void()>> queue_;
  bool stopping_ = false;
  int sleeping_ = 0;
  bool waking_ = false;  // Somebody who slept has been called, and will look at the queue.
  std::vector<std::thread> threads_;
};

// Runs at once on the caller's thread: simulation and unit tests.
class InlineWorkerPool final : public WorkerPool {
 public:
  bool TryRun(absl::AnyInvocable<void()> job) override {
    job();
    return true;
  }
};

}  // namespace tarot
