// Clock and Scheduler that stand still until the test moves them.
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

  // Moves on by `by`, running on this thread what falls due, in order, each at its own time.
  void Advance(absl::Duration by);

 private:
  std::mutex mutex_;
  absl::Time now_;
  std::multimap<absl::Time, absl::AnyInvocable<void()>> tasks_;
};

}  // namespace tarot::testkit
