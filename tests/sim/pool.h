// The simulated worker threads of one process, as a queue in virtual time.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "libs/base/worker_pool.h"
#include "tests/sim/process.h"

namespace tarot::sim {

// At most `threads` jobs run at once; other jobs wait in the queue. While the process lives, a job
// never begins before TryRun returns.
class Pool final : public WorkerPool {
 public:
  // Says what happens to the jobs of a dead process. kRun runs them, because their callbacks may
  // own a table lock for which other operations wait. kDrop drops them.
  enum class Dead { kRun, kDrop };

  Pool(Life& life, int threads, std::size_t queue_size_max, Dead dead)
      : life_(life), threads_(threads), queue_size_max_(queue_size_max), dead_(dead) {
    life.pools_.push_back(this);
  }

  bool TryRun(absl::AnyInvocable<void()> job) override {
    if (!life_.alive()) {
      if (dead_ == Dead::kRun) job();
      return true;
    }
    if (queue_.size() >= queue_size_max_) return false;
    queue_.push_back(std::move(job));
    if (running_ == threads_) return true;
    ++running_;
    life_.After(life_.world().Between(absl::ZeroDuration(), absl::Microseconds(500)),
                [this] { life_.Spawn([this] { Work(); }); });
    return true;
  }

  // Empties the queue of a dead process.
  void Drain() {
    while (!queue_.empty()) {
      absl::AnyInvocable<void()> job = std::move(queue_.front());
      queue_.pop_front();
      if (dead_ == Dead::kRun) job();
    }
  }

 private:
  void Work() {
    while (life_.alive() && !queue_.empty()) {
      absl::AnyInvocable<void()> job = std::move(queue_.front());
      queue_.pop_front();
      job();
    }
    --running_;
  }

  Life& life_;
  const int threads_;
  const std::size_t queue_size_max_;
  const Dead dead_;
  std::deque<absl::AnyInvocable<void()>> queue_;
  int running_ = 0;
};

}  // namespace tarot::sim
