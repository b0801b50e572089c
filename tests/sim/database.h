// Postgres in the simulation, as the stores see it. Statements take time, can fail, and can lose
// their answer.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "libs/testkit/fake_statements.h"
#include "tests/sim/process.h"

namespace tarot::sim {

// The gate of the fake stores. Every call of every method of a store passes through this gate.
class Database final : public testkit::StatementGate {
 public:
  explicit Database(SimulatedWorld& world) : world_(world) {}

  // Sets whether statements may fail at random. Before the first call, no statement fails.
  void set_bad(bool bad) { bad_ = bad; }
  // For `span`, the database answers no statement, and the outcome of each statement is unknown.
  void Away(absl::Duration span) { away_until_ = world_.now() + span; }
  // For `span`, every statement takes up to a second.
  void Slow(absl::Duration span) { slow_until_ = world_.now() + span; }
  void Heal() { away_until_ = slow_until_ = absl::InfinitePast(); }
  bool away() const { return world_.now() < away_until_; }
  // The process of `node` dies in its next statement. A random choice decides whether it dies
  // before or after the commit.
  void CrashInStatement(const Node& node) { doomed_ = node.name; }

  // Runs one statement for a thread of the process that runs now. After UNAVAILABLE STORAGE_AWAY it
  // is unknown whether the statement ran, and it may still run later. When no process runs, the
  // statement cannot fail, because the simulation itself reads the stores.
  absl::Status Pass(const std::function<void()>& commit) override;

 private:
  // The fate of a statement. kLost does not run. kUnanswered runs without an answer. kLate runs
  // after the caller got UNAVAILABLE. kCrashBefore and kCrashAfter kill the process, before or
  // after the statement runs.
  enum class Fate { kRun, kLost, kUnanswered, kLate, kCrashBefore, kCrashAfter };

  static absl::Status Lost();
  Fate Draw(const Life& life);
  absl::Duration Latency();

  SimulatedWorld& world_;
  bool bad_ = false;
  absl::Time away_until_ = absl::InfinitePast();
  absl::Time slow_until_ = absl::InfinitePast();
  std::string doomed_;
};

}  // namespace tarot::sim
