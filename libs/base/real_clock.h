// Defines the real clock, and the real scheduler with its one thread. Also makes timed waits
// independent of jumps of the wall clock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// Defines a clock that starts at the wall time and follows it slowly. If an operator or a time
// server makes the wall time jump, turns and tokens must not end too early. So after a jump, this
// clock runs 2 % faster or slower until it shows the wall time again. After a jump of an hour, this
// takes two days. A restart of the process ends the difference at once. Thread-safe.
class RealClock final : public Clock {
 public:
  RealClock();
  absl::Time Now() override;

  // Returns the new offset when `elapsed_ns` have passed since the offset was `offset_ns`. The
  // offset moves slowly towards `wanted_ns`.
  static long long Follow(long long offset_ns, long long wanted_ns, long long elapsed_ns);

 private:
  std::atomic<long long> offset_ns_;    // Wall time minus steady time.
  std::atomic<long long> followed_ns_;  // The steady-clock time of the last update of the offset.
};

// Measures delays by the steady clock, so a jump of the wall time moves no timer. Thread-safe.
class RealScheduler final : public Scheduler {
 public:
  RealScheduler();
  ~RealScheduler() override;  // Joins the thread.

  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override;

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  // Orders tasks that are due at the same time: After() gives each task the next number.
  unsigned long next_id_ = 0;
  std::map<std::pair<long long, unsigned long>, absl::AnyInvocable<void()>> tasks_;
  std::thread thread_;
};

// Makes Abseil's timed waits use the steady clock in this program. Without this call, Debian's
// Abseil waits until a time of the wall clock. If the wall clock jumps back, a thread waits longer
// by the length of the jump. One such thread runs gRPC's timers. While this thread waits too long,
// gRPC does not reconnect and does not notice dead connections. A program that contains a call of
// this function uses the steady clock from its start. Each timed wait then reads two clocks, which
// costs a little time.
void UseSteadyWaits();

}  // namespace tarot
