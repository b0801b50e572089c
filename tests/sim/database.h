// Postgres in the simulation, as the stores see it. Statements take time, can fail, and can lose
// their answer.
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

  // Says whether statements may fail at random. It is false at the start.
  void set_bad(bool bad) { bad_ = bad; }
  // Answers no statement for `span`. The outcome of statements that run then is unknown.
  void Away(absl::Duration span) { away_until_ = world_.now() + span; }
  // Every statement takes up to a second for `span`.
  void Slow(absl::Duration span) { slow_until_ = world_.now() + span; }
  void Heal() { away_until_ = slow_until_ = absl::InfinitePast(); }
  bool away() const { return world_.now() < away_until_; }
  // The process of `node` dies in its next statement. In half of the cases it dies after the
  // commit.
  void CrashInStatement(const Node& node) { doomed_ = node.name; }

  // Says whether a statement may still run after its caller got UNAVAILABLE STORAGE_AWAY.
  enum class Late { kMaybe, kNever };

  // Runs one statement for a thread of `life`. After UNAVAILABLE STORAGE_AWAY it is unknown whether
  // the statement ran, and it may still run later. Result must be constructible from an
  // absl::Status.
  template <typename Result>
  Result Statement(Life& life, std::function<Result()> run, Late late = Late::kMaybe) {
    const Fate fate = Draw(life);
    life.Sleep(Latency());
    if (fate == Fate::kCrashBefore) life.node().Crash();
    // If the process has died meanwhile, its statement may still have arrived.
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
  // The fate of a statement. kUnanswered runs without an answer. kLate runs after the caller got
  // UNAVAILABLE.
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
