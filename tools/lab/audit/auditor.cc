#include "tools/lab/audit/auditor.h"

#include <chrono>
#include <iterator>
#include <utility>

namespace tarot::lab {

Auditor::Auditor(int threads) : queue_max_(static_cast<std::size_t>(4 * threads)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

Auditor::~Auditor() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Auditor::Add(Job job) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return queue_.size() < queue_max_; });
  queue_.push_back(std::move(job));
  work_.notify_one();
}

bool Auditor::Finish(double seconds) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [this] { return queue_.empty() && busy_ == 0; });
}

AuditCounts Auditor::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<Wrong> Auditor::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wrong_, {});
}

void Auditor::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    room_.notify_one();
    std::vector<Wrong> wrong;
    const long records = job(wrong);
    lock.lock();
    --busy_;
    counts_.records += records;
    counts_.wrong += static_cast<long>(wrong.size());
    wrong_.insert(wrong_.end(), std::make_move_iterator(wrong.begin()),
                  std::make_move_iterator(wrong.end()));
    if (queue_.empty() && busy_ == 0) done_.notify_all();
  }
}

}  // namespace tarot::lab
