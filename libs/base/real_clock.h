// The operating system's time, and one timer thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// Thread-safe. Begins at the wall time and then follows it softly: where that jumps, by an operator
// or a time server, this one runs 2 % faster or slower until it has caught up. So nobody's turn,
// token or rate limit ends by a jump; a machine that was an hour wrong is right again after two
// days, or a restart.
class RealClock final : public Clock {
 public:
  RealClock();
  absl::Time Now() override;

  // What the offset between two clocks becomes after `elapsed`, when `wanted` is what it should be.
  static long long Follow(long long offset_ns, long long wanted_ns, long long elapsed_ns);

 private:
  std::atomic<long long> offset_ns_;    // Wall time less steady time.
  std::atomic<long long> followed_ns_;  // Steady time when that was last brought nearer.
};

// Thread-safe. Uses the steady clock inside, so a jump of the wall time moves no timer.
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

}  // namespace tarot
