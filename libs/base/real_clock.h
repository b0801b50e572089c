// The operating system's time, and one timer thread.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

class RealClock final : public Clock {
 public:
  absl::Time Now() override;
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
