#include "services/matchmaking/app/executor.h"

#include <utility>

namespace tarot::matchmaking_service {

Executor::Executor(Scheduler& scheduler, WorkerPool& thread)
    : scheduler_(scheduler), state_(std::make_shared<State>(thread)) {}

bool Executor::State::Run(const std::shared_ptr<State>& self, absl::AnyInvocable<void()> task,
                          const std::function<void()>& missed) {
  // Hold the lock until the task is queued, because the owner may destroy `thread` after Stop() has
  // returned.
  const std::lock_guard lock(mutex);
  if (stopped) return true;
  const bool queued = thread.TryRun([self, task = std::move(task)]() mutable {
    if (!self->Stopped()) task();
  });
  if (!queued && missed) missed();
  return queued;
}

bool Executor::State::Stopped() {
  const std::lock_guard lock(mutex);
  return stopped;
}

bool Executor::Run(absl::AnyInvocable<void()> task) {
  return state_->Run(state_, std::move(task), {});
}

void Executor::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> task) {
  scheduler_.After(delay, [state = state_, task = std::move(task)]() mutable {
    state->Run(state, std::move(task), {});
  });
}

void Executor::RunEvery(absl::Duration period, std::function<void()> task,
                        std::function<void()> missed) {
  Repeat(scheduler_, state_, period, std::move(task), std::move(missed));
}

void Executor::Repeat(Scheduler& scheduler, const std::shared_ptr<State>& state,
                      absl::Duration period, std::function<void()> task,
                      std::function<void()> missed) {
  scheduler.After(period, [&scheduler, state, period, task, missed] {
    if (state->Stopped()) return;
    Repeat(scheduler, state, period, task, missed);
    state->Run(state, task, missed);
  });
}

void Executor::Stop() {
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
}

}  // namespace tarot::matchmaking_service
