#include "libs/base/real_clock.h"

#include <algorithm>
#include <chrono>

#include "absl/time/clock.h"
#include "libs/base/clock.h"

namespace tarot {
namespace {

long long SteadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr long long kFollowEveryNs = 1'000'000'000;
// The clock is the steady clock plus an offset. Each update changes the offset by at most 1/50 of
// the time since the last update.
constexpr long long kFollowPart = 50;

}  // namespace

RealClock::RealClock()
    : offset_ns_(absl::GetCurrentTimeNanos() - SteadyNanoseconds()),
      followed_ns_(SteadyNanoseconds()) {}

absl::Time RealClock::Now() {
  const long long steady = SteadyNanoseconds();
  long long followed = followed_ns_;
  if (steady - followed >= kFollowEveryNs &&
      followed_ns_.compare_exchange_strong(followed, steady)) {
    offset_ns_ = Follow(offset_ns_, absl::GetCurrentTimeNanos() - steady, steady - followed);
  }
  return absl::FromUnixNanos(steady + offset_ns_);
}

long long RealClock::Follow(long long offset_ns, long long wanted_ns, long long elapsed_ns) {
  const long long most = elapsed_ns / kFollowPart;
  return offset_ns + std::clamp(wanted_ns - offset_ns, -most, most);
}

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
