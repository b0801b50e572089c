#include "libs/base/real_clock.h"

#include <chrono>

#include "absl/time/clock.h"
#include "libs/base/stopwatch.h"

namespace tarot {
namespace {

long long SteadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

absl::Time RealClock::Now() { return absl::Now(); }

Stopwatch::Stopwatch() : start_ns_(SteadyNanoseconds()) {}

absl::Duration Stopwatch::Elapsed() const {
  return absl::Nanoseconds(SteadyNanoseconds() - start_ns_);
}

RealScheduler::RealScheduler() : thread_([this] { Run(); }) {}

RealScheduler::~RealScheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void RealScheduler::After(absl::Duration delay, absl::AnyInvocable<void()> task) {
  const long long due = SteadyNanoseconds() + absl::ToInt64Nanoseconds(delay);
  bool first;
  {
    const std::lock_guard lock(mutex_);
    const auto at = tasks_.emplace(std::pair(due, next_id_++), std::move(task)).first;
    first = at == tasks_.begin();
  }
  if (first) wake_.notify_one();
}

void RealScheduler::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (tasks_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const long long wait = tasks_.begin()->first.first - SteadyNanoseconds();
    if (wait > 0) {
      wake_.wait_for(lock, std::chrono::nanoseconds(wait));
      continue;
    }
    auto task = tasks_.extract(tasks_.begin());
    lock.unlock();
    task.mapped()();
    lock.lock();
  }
}

}  // namespace tarot
