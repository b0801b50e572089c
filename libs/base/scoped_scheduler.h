// A scheduler whose tasks end with their owner. A service gives it to its objects, so that no timer
// runs after their destruction.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// `scheduler` must outlive this object. Thread-safe.
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

  // Waits for the running task. Drops all other tasks, and all tasks that come later. A task must
  // not call this function.
  void Stop() {
    const std::lock_guard lock(gate_->mutex);
    gate_->open = false;
  }

 private:
  struct Gate {
    // Locked while a task runs. The scheduler has one thread, so no task waits for this lock.
    std::mutex mutex;
    bool open = true;
  };

  Scheduler& scheduler_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace tarot
