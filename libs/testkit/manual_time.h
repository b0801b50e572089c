// A Clock and Scheduler whose time moves only when the test moves it.
#pragma once

#include <map>
#include <mutex>

#include "libs/base/clock.h"

namespace tarot::testkit {

// Thread-safe. Starts at the first second of 2026.
class ManualTime final : public Clock, public Scheduler {
 public:
  ManualTime();

  absl::Time Now() override;
  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override;

  // Advances the time by `by`. Runs due tasks on this thread, in order, each at its own time.
  void Advance(absl::Duration by);

 private:
  std::mutex mutex_;
  absl::Time now_;
  std::multimap<absl::Time, absl::AnyInvocable<void()>> tasks_;
};

}  // namespace tarot::testkit
