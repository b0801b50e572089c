// The only two doors to time. main() opens the real ones, tests open simulated ones.
#pragma once

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace tarot {

class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time. Any thread.
  virtual absl::Time Now() = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Runs `task` once, `delay` from now, on the scheduler's own thread: it must be short. Any
  // thread. Tasks still waiting when the scheduler is destroyed are dropped.
  virtual void After(absl::Duration delay, absl::AnyInvocable<void()> task) = 0;
};

}  // namespace tarot
