// Postgres as the stores see it: statements that take time, fail, and fail to say what they did.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tests/sim/process.h"

namespace tarot::sim {

class Database {
 public:
  explicit Database(World& world) : world_(world) {}

  // How bad it is; at the start it is good.
  void set_bad(bool bad) { bad_ = bad; }
  // Nobody is answered for a while; what a statement that was under way did is unknown.
  void Away(absl::Duration span) { away_until_ = world_.now() + span; }
  // Every statement takes up to a second for a while.
  void Slow(absl::Duration span) { slow_until_ = world_.now() + span; }
  void Heal() { away_until_ = slow_until_ = absl::InfinitePast(); }
  bool away() const { return world_.now() < away_until_; }
  // The process of `node` dies in its next statement, half of the times after the commit.
  void CrashInStatement(const Node& node) { doomed_ = node.name; }

  // Whether a statement may be run when its caller has been answered already.
  enum class Late { kMaybe, kNever };

  // Runs one statement for a thread of `life`. UNAVAILABLE, as STORAGE_AWAY: it was run or not, or
  // will be, after the answer. Result is made from an absl::Status.
  template <typename Result>
  Result Statement(Life& life, std::function<Result()> run, Late late = Late::kMaybe) {
    const Fate fate = Draw(life);
    life.Sleep(Latency());
    if (fate == Fate::kCrashBefore) life.node().Crash();
    // The connection of who died meanwhile may have brought the statement in time.
    if (!life.alive() && (fate == Fate::kCrashBefore || world_.Chance(5000))) return Lost();
    if (fate == Fate::kLost || away()) return Lost();
    if (fate == Fate::kLate && late == Late::kMaybe) {
      world_.After(world_.Between(absl::Milliseconds(1), absl::Seconds(2)), [run] { (void)run(); });
      return Lost();
    }
    const Result result = run();
    if (fate == Fate::kCrashAfter) life.node().Crash();
    life.Sleep(Latency());
    return fate == Fate::kUnanswered || away() || !life.alive() ? Result(Lost()) : result;
  }

 private:
  // kUnanswered runs, kLate runs after all when nobody expects it any more.
  enum class Fate { kRun, kLost, kUnanswered, kLate, kCrashBefore, kCrashAfter };

  static absl::Status Lost();
  Fate Draw(const Life& life);
  absl::Duration Latency();

  World& world_;
  bool bad_ = false;
  absl::Time away_until_ = absl::InfinitePast();
  absl::Time slow_until_ = absl::InfinitePast();
  std::string doomed_;
};

}  // namespace tarot::sim
