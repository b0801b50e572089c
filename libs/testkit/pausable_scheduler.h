// A scheduler that a test can pause, as SIGSTOP pauses a process.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "libs/base/clock.h"

namespace tarot::testkit {

// Use it in one thread. If the scheduler is destroyed during a pause, its waiting tasks never run.
// If the scheduler is destroyed without a pause, its tasks still run when they are due.
class PausableScheduler final : public Scheduler {
 public:
  explicit PausableScheduler(Scheduler& scheduler) : scheduler_(scheduler) {}

  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override {
    scheduler_.After(delay, [state = state_, task = std::move(task)]() mutable {
      if (!state->paused) return task();
      state->held.push_back(std::move(task));
    });
  }

  void Pause() { state_->paused = true; }

  // Runs the tasks that became due during the pause, at once and in order.
  void Resume() {
    state_->paused = false;
    for (auto& task : std::exchange(state_->held, {})) task();
  }

 private:
  struct State {
    bool paused = false;
    std::deque<absl::AnyInvocable<void()>> held;
  };

  Scheduler& scheduler_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace tarot::testkit
