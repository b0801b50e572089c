#include "tests/sim/database.h"

#include "libs/base/error.h"

namespace tarot::sim {

absl::Status Database::Lost() {
  return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The connection was lost.");
}

Database::Fate Database::Draw(const Life& life) {
  if (doomed_ == life.node().name && life.alive()) {
    doomed_.clear();
    return world_.Chance(5000) ? Fate::kCrashBefore : Fate::kCrashAfter;
  }
  if (!bad_) return Fate::kRun;
  switch (world_.rng().Below(300)) {
    case 0:
      return Fate::kLost;
    case 1:
      return Fate::kUnanswered;
    case 2:
      return Fate::kLate;
    default:
      return Fate::kRun;
  }
}

absl::Duration Database::Latency() {
  const bool slow = world_.now() < slow_until_;
  return world_.Between(absl::Microseconds(50), slow ? absl::Seconds(1) : absl::Milliseconds(3));
}

}  // namespace tarot::sim
