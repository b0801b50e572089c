// Runs jobs on a fixed number of threads, from a queue of limited size. Jobs may wait, for example
// for Postgres.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace tarot {

class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  // Runs `job`, usually later and on another thread. If the queue is full or the pool has stopped,
  // returns false and does not run it. Thread-safe.
  virtual bool TryRun(absl::AnyInvocable<void()> job) = 0;
  // Returns the maximum number of jobs in the queue, or 0 if the queue has no limit.
  virtual int capacity() const { return 0; }
};

class ThreadWorkerPool final : public WorkerPool {
 public:
  // `nice` is the nice value of the threads, from 0 to 19. While several threads want the same
  // processor, a thread with a higher value gets less time on it.
  ThreadWorkerPool(int threads, int queue_size_max, int nice = 0);
  ~ThreadWorkerPool() override;  // Calls Stop().

  bool TryRun(absl::AnyInvocable<void()> job) override;
  int capacity() const override { return static_cast<int>(queue_size_max_); }

  // Says how many jobs have ended so far, and whether jobs wait in the queue now.
  struct Progress {
    std::uint64_t ended = 0;
    bool waiting = false;
  };
  Progress GetProgress() const;

  // Runs the queued jobs, joins the threads, and refuses later jobs. A second call does nothing.
  // Call it from one thread only.
  void Stop();

 private:
  void Run(int nice);
  // Returns true if the caller must notify one worker after it has unlocked mutex_. Call this
  // function with mutex_ locked.
  bool MustWake();

  const std::size_t queue_size_max_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<absl::AnyInvocable<void()>> queue_;
  std::uint64_t ended_ = 0;
  bool stopping_ = false;
  int sleeping_ = 0;
  bool waking_ = false;  // True from a notification until a worker is awake.
  std::vector<std::thread> threads_;
};

// Runs each job at once, on the caller's thread. It is for jobs that do not wait, for simulation
// and for unit tests.
class InlineWorkerPool final : public WorkerPool {
 public:
  bool TryRun(absl::AnyInvocable<void()> job) override {
    job();
    return true;
  }
};

}  // namespace tarot
