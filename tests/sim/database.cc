#include "tests/sim/database.h"

#include "libs/base/error.h"

namespace tarot::sim {

absl::Status Database::Pass(const std::function<void()>& commit) {
  Life* const caller = Life::Current();
  if (caller == nullptr) {
    commit();
    return absl::OkStatus();
  }
  Life& life = *caller;
  const Fate fate = Draw(life);
  life.Sleep(Latency());
  if (fate == Fate::kCrashBefore) life.node().Crash();
  // If the process died before the statement reached Postgres, the statement is lost: after
  // kCrashBefore always, and otherwise in half of the cases. In the other cases it may still run.
  if (!life.alive() && (fate == Fate::kCrashBefore || world_.Chance(5000))) return Lost();
  if (fate == Fate::kLost || away()) return Lost();
  if (fate == Fate::kLate) {
    world_.After(world_.Between(absl::Milliseconds(1), absl::Seconds(2)), commit);
    return Lost();
  }
  commit();
  if (fate == Fate::kCrashAfter) life.node().Crash();
  life.Sleep(Latency());
  return fate == Fate::kUnanswered || away() || !life.alive() ? Lost() : absl::OkStatus();
}

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
