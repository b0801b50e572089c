#include "libs/base/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace tarot {

ThreadWorkerPool::ThreadWorkerPool(int threads, int queue_size_max, int nice)
    : queue_size_max_(static_cast<std::size_t>(queue_size_max)) {
  threads_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, nice] { Run(nice); });
}

ThreadWorkerPool::~ThreadWorkerPool() { Stop(); }

ThreadWorkerPool::Progress ThreadWorkerPool::GetProgress() const {
  const std::lock_guard lock(mutex_);
  return {.ended = ended_, .waiting = !queue_.empty()};
}

void ThreadWorkerPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool ThreadWorkerPool::TryRun(absl::AnyInvocable<void()> job) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || queue_.size() >= queue_size_max_) return false;
    queue_.push_back(std::move(job));
    wake = MustWake();
  }
  if (wake) wake_.notify_one();
  return true;
}

// The pool wakes one worker at a time. If more jobs wait, the woken worker wakes the next one. Most
// jobs take less time than the wake-up of a thread. So a worker that is awake often finishes all
// jobs before another worker could start.
bool ThreadWorkerPool::MustWake() {
  if (queue_.empty() || sleeping_ == 0) return false;
  return !std::exchange(waking_, true);
}

void ThreadWorkerPool::Run(int nice) {
  // In Linux, each thread has its own nice value. Errors are ignored, because the jobs also run
  // with the usual nice value.
  if (nice > 0) (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice);
  std::unique_lock lock(mutex_);
  while (true) {
    while (!stopping_ && queue_.empty()) {
      ++sleeping_;
      wake_.wait(lock);
      --sleeping_;
      waking_ = false;
    }
    if (queue_.empty()) return;  // The pool has stopped, and no job is left.
    absl::AnyInvocable<void()> job = std::move(queue_.front());
    queue_.pop_front();
    const bool wake = MustWake();
    lock.unlock();
    if (wake) wake_.notify_one();
    job();
    job = nullptr;  // Destroys the job and its captures while the pool is not locked.
    lock.lock();
    ++ended_;
  }
}

}  // namespace tarot
