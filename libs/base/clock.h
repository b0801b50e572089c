// A Clock reads the time, a Scheduler runs tasks later, and a Stopwatch measures time for metrics.
// rpc::RunService() gives services the real clock and scheduler; tests use simulated ones.
#pragma once

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace tarot {

class Clock {
 public:
  virtual ~Clock() = default;
  // Returns the wall time. Thread-safe.
  virtual absl::Time Now() = 0;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Runs `task` once, after `delay`. The task runs on the scheduler's only thread, so it must be
  // short. The destructor drops tasks that have not run yet. Thread-safe.
  virtual void After(absl::Duration delay, absl::AnyInvocable<void()> task) = 0;
};

// Measures elapsed time for metrics and logs. It always uses the real steady clock, so code that
// runs in the simulation must not make decisions by it.
class Stopwatch {
 public:
  Stopwatch();  // Starts the stopwatch.
  absl::Duration Elapsed() const;

 private:
  long long start_ns_;
};

}  // namespace tarot
