// Makes a schedule of faults from a seed: kind, target, time and length of each fault.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace tarot::chaos {

enum class FaultKind {
  kKill,  // kill -9 of a process. At the end of the fault the process starts again.
  // SIGTERM to a process, and a wait for its end. At the end of the fault the process starts again.
  kTerm,
  kStop,       // SIGSTOP to a process. SIGCONT comes at the end.
  kClock,      // A process's wall clock jumps, and jumps back at the end.
  kPartition,  // No packet passes between two processes.
  // No packet passes between a process and any other process. The process still reaches Postgres,
  // and players still reach it.
  kIsolate,
  kNoPostgres,  // No packet passes between a process and Postgres.
  kPlayers,     // No packet passes between a gateway and every second player.
  kLoss,        // Some packets to and from a process are lost.
  kDelay,       // Every packet to a process is delayed.
  kPgKill,      // kill -9 of the postmaster. At the end of the fault Postgres starts again.
  kPgRestart,   // An orderly stop of Postgres. At the end of the fault Postgres starts again.
  // A stop of Postgres without a checkpoint. Postgres starts again at the end.
  kPgImmediate,
  kPgTerminate,  // pg_terminate_backend of every connection.
  kPgCut,        // Connections lose the answer to their last statement, then end.
  kPgDelay,      // Every answer of Postgres is delayed.
  kPgFreeze,     // No byte passes to or from Postgres, and no connection ends.
};
inline constexpr int kFaultKinds = 17;

// Returns a name such as "kill" or "pg-cut".
const char* NameOf(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kKill;
  std::string target;  // The process that the fault hits; empty for faults of Postgres.
  std::string other;   // Used only by kPartition.
  absl::Duration start, length;
  absl::Duration size;  // The length of the jump (kClock), or the delay (kDelay, kPgDelay).
  int percent = 0;      // For kLoss, the percentage of packets.

  absl::Duration end() const { return start + length; }
};

struct ScheduleOptions {
  std::uint64_t seed = 1;
  absl::Duration duration;
  std::vector<std::string> processes;
  std::vector<FaultKind> kinds;  // The kinds to choose from.
};

// Returns faults in the order of their start. Each fault ends by `duration`. Two faults may
// overlap. But a fault that ends a process or Postgres, and starts it again, overlaps no other
// fault. During another fault, the start could fail and delay the run.
std::vector<Fault> MakeSchedule(const ScheduleOptions& options);

// Returns a text such as "at 12.3 s for 4.1 s: stop rules.2".
std::string Text(const Fault& fault);

}  // namespace tarot::chaos
