#include "services/matchmaking/app/jobs.h"

#include <utility>

namespace tarot::matchmaking_service {

Jobs::Jobs(Scheduler& scheduler, WorkerPool& thread)
    : scheduler_(scheduler), state_(std::make_shared<State>(thread)) {}

bool Jobs::State::Run(const std::shared_ptr<State>& self, absl::AnyInvocable<void()> job,
                      const std::function<void()>& missed) {
  // Held while queueing: after Stop() returns nobody reaches the thread, which may be gone.
  const std::lock_guard lock(mutex);
  if (stopped) return true;
  const bool queued = thread.TryRun([self, job = std::move(job)]() mutable {
    if (!self->Stopped()) job();
  });
  if (!queued && missed) missed();
  return queued;
}

bool Jobs::State::Stopped() {
  const std::lock_guard lock(mutex);
  return stopped;
}

bool Jobs::Run(absl::AnyInvocable<void()> job) { return state_->Run(state_, std::move(job), {}); }

void Jobs::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> job) {
  scheduler_.After(delay, [state = state_, job = std::move(job)]() mutable {
    state->Run(state, std::move(job), {});
  });
}

void Jobs::RunEvery(absl::Duration period, std::function<void()> job,
                    std::function<void()> missed) {
  Repeat(scheduler_, state_, period, std::move(job), std::move(missed));
}

void Jobs::Repeat(Scheduler& scheduler, const std::shared_ptr<State>& state, absl::Duration period,
                  std::function<void()> job, std::function<void()> missed) {
  scheduler.After(period, [&scheduler, state, period, job, missed] {
    if (state->Stopped()) return;
    Repeat(scheduler, state, period, job, missed);
    state->Run(state, job, missed);
  });
}

void Jobs::Stop() {
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
}

}  // namespace tarot::matchmaking_service
