// The operating system's time, one timer thread, and timed waits that a jump of the wall clock does
// not make longer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// Starts at the wall time and follows it slowly. If an operator or a time server makes the wall
// time jump, this clock runs 2 % faster or slower until it shows the wall time again. So a jump
// does not end a turn, a token or a rate limit. After a jump of an hour it is correct again in two
// days, or after a restart. Thread-safe.
class RealClock final : public Clock {
 public:
  RealClock();
  absl::Time Now() override;

  // Returns the next offset, if the offset was `offset_ns` and `elapsed_ns` have passed since. The
  // offset moves slowly towards `wanted_ns`.
  static long long Follow(long long offset_ns, long long wanted_ns, long long elapsed_ns);

 private:
  std::atomic<long long> offset_ns_;    // Wall time minus steady time.
  std::atomic<long long> followed_ns_;  // Steady time of the last change of the offset.
};

// Uses the steady clock, so a jump of the wall time moves no timer. Thread-safe.
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
  unsigned long next_id_ = 0;  // Keeps tasks of the same moment in order.
  std::map<std::pair<long long, unsigned long>, absl::AnyInvocable<void()>> tasks_;
  std::thread thread_;
};

// Debian's Abseil waits until a time of the wall clock. If that clock jumps forward and back, a
// thread sleeps for the length of the jump. gRPC's timers wait on one such thread, so gRPC then
// neither reconnects nor notices a dead connection. A program that contains a call of this function
// waits by the steady clock instead, from its start. The cost is that each timed wait reads two
// clocks.
void UseSteadyWaits();

}  // namespace tarot
