#include "libs/testkit/manual_time.h"

#include <algorithm>
#include <utility>

namespace tarot::testkit {

ManualTime::ManualTime() : now_(absl::FromCivil(absl::CivilDay(2026, 1, 1), absl::UTCTimeZone())) {}

absl::Time ManualTime::Now() {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualTime::After(absl::Duration delay, absl::AnyInvocable<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.emplace(now_ + delay, std::move(task));
}

void ManualTime::Advance(absl::Duration by) {
  std::unique_lock lock(mutex_);
  const absl::Time end = now_ + by;
  while (!tasks_.empty() && tasks_.begin()->first <= end) {
    auto due = tasks_.extract(tasks_.begin());
    now_ = std::max(now_, due.key());
    lock.unlock();  // The mutex must be free here, because the task may call Now() or After().
    due.mapped()();
    lock.lock();
  }
  now_ = end;
}

}  // namespace tarot::testkit
