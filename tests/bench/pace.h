// Lets players move at a steady rate, or as soon as their moves are due.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "libs/base/clock.h"

namespace tarot::bench {

// Thread-safe.
class Pace {
 public:
  // Normally runs `move` at once. After Pause, and while Run keeps a rate, only stores `move`. Then
  // Run runs the stored move later.
  void Release(std::function<void()> move) {
    if (!paced_) return move();
    const std::lock_guard lock(mutex_);
    due_.push_back(std::move(move));
  }

  // Holds all moves back until Run.
  void Pause() { paced_ = true; }

  // For `seconds`, lets `moves_per_s` moves per second run, evenly spaced. Then runs all moves that
  // still wait. If `moves_per_s` is 0, no move waits.
  void Run(double seconds, double moves_per_s) {
    const Stopwatch watch;
    paced_ = moves_per_s > 0;
    double gone = 0;
    while (absl::ToDoubleSeconds(watch.Elapsed()) < seconds) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const double now = absl::ToDoubleSeconds(watch.Elapsed()) * moves_per_s;
      for (; paced_ && gone < now; ++gone) {
        // If no move waits, the moves that are due now are skipped. If they ran later, the rate
        // would be above `moves_per_s` at that time.
        if (!ReleaseOne()) gone = now;
      }
    }
    paced_ = false;
    while (ReleaseOne()) {
    }
  }

 private:
  bool ReleaseOne() {
    std::function<void()> move;
    {
      const std::lock_guard lock(mutex_);
      if (due_.empty()) return false;
      move = std::move(due_.front());
      due_.pop_front();
    }
    move();
    return true;
  }

  std::atomic<bool> paced_ = false;
  std::mutex mutex_;
  std::deque<std::function<void()>> due_;
};

}  // namespace tarot::bench
