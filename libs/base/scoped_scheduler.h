// Defines a scheduler that drops its tasks when it is destroyed. A service gives this scheduler to
// its objects, so that no task runs after these objects are destroyed.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "libs/base/clock.h"

namespace tarot {

// `scheduler` must outlive the ScopedScheduler. Thread-safe.
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

  // Waits for the end of a running task. Drops all other tasks, and all tasks that After() gets
  // later. A task must not call this function.
  void Stop() {
    const std::lock_guard lock(gate_->mutex);
    gate_->open = false;
  }

 private:
  struct Gate {
    // Locked while a task runs, so that Stop() waits for the task. The scheduler runs one task at a
    // time, so a task never waits here for another task.
    std::mutex mutex;
    bool open = true;
  };

  Scheduler& scheduler_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace tarot
