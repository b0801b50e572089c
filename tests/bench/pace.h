// Lets moves go at a steady rate, or as soon as they are due.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "libs/base/stopwatch.h"

namespace tarot::bench {

// Thread-safe.
class Pace {
 public:
  // Runs `move` now, or, while Run holds moves to a rate, when its time has come.
  void Release(std::function<void()> move) {
    if (!paced_) return move();
    const std::lock_guard lock(mutex_);
    due_.push_back(std::move(move));
  }

  // Lets moves go evenly for `seconds`, `moves_per_s` in a second; 0: as they come.
  void Run(double seconds, double moves_per_s) {
    const Stopwatch watch;
    paced_ = moves_per_s > 0;
    double gone = 0;
    while (absl::ToDoubleSeconds(watch.Elapsed()) < seconds) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const double now = absl::ToDoubleSeconds(watch.Elapsed()) * moves_per_s;
      for (; paced_ && gone < now; ++gone) {
        if (!ReleaseOne()) gone = now;  // All moves are in flight. They are not made up for.
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
