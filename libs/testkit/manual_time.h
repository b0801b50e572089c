// A Clock and Scheduler whose time moves only when the test moves it.
#pragma once

#include <map>
#include <mutex>

#include "libs/base/clock.h"

namespace tarot::testkit {

// Starts at 2026-01-01 00:00 UTC. Thread-safe.
class ManualTime final : public Clock, public Scheduler {
 public:
  ManualTime();

  absl::Time Now() override;
  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override;

  // Advances the time by `by`. Runs the tasks that become due, on this thread and in order. During
  // a task, Now() is the time when the task was due.
  void Advance(absl::Duration by);

 private:
  std::mutex mutex_;
  absl::Time now_;
  std::multimap<absl::Time, absl::AnyInvocable<void()>> tasks_;
};

}  // namespace tarot::testkit
