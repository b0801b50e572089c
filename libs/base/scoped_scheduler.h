// A scheduler whose tasks end with their owner: what a service hands to its parts, so that no timer
// finds them gone.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// Thread-safe. `scheduler` outlives it.
class ScopedScheduler final : public Scheduler {
 public:
  explicit ScopedScheduler(Scheduler& scheduler)
      : scheduler_(scheduler), gate_(std::make_shared<Gate>()) {}
  ~ScopedScheduler() override { Stop(); }

  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override {
    scheduler_.After(delay, [gate = gate_, task = std::move(task)]() mutable {
      const std::lock_guard lock(gate->mutex);
      if (gate->open) task();
    });
  }

  // Waits for a task that is running; drops all others, and whatever comes later. Not from a task.
  void Stop() {
    const std::lock_guard lock(gate_->mutex);
    gate_->open = false;
  }

 private:
  struct Gate {
    std::mutex mutex;  // Held while a task runs: the scheduler has one thread, so nobody waits.
    bool open = true;
  };

  Scheduler& scheduler_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace tarot
