// Which fault strikes what, and when: all of it follows from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace tarot::chaos {

enum class FaultKind {
  kKill,         // kill -9 of a process; started again at the end.
  kTerm,         // SIGTERM, and its end awaited; started again at the end.
  kStop,         // SIGSTOP; SIGCONT at the end.
  kClock,        // A process's wall clock jumps, and jumps back at the end.
  kPartition,    // Nothing passes between two processes.
  kIsolate,      // Nothing passes between a process and all others; Postgres stays in reach.
  kNoPostgres,   // Nothing passes between a process and Postgres.
  kPlayers,      // Nothing passes between every second player and a gateway.
  kLoss,         // Some of the packets to and from a process are lost.
  kDelay,        // Every packet to a process comes later.
  kPgKill,       // kill -9 of the postmaster; started again at the end.
  kPgRestart,    // An orderly stop; started again at the end.
  kPgImmediate,  // A stop without a checkpoint; started again at the end.
  kPgTerminate,  // pg_terminate_backend of every connection.
  kPgCut,        // Connections lose the answers to what they have just sent, then end.
  kPgDelay,      // Every answer of Postgres comes later.
  kPgFreeze,     // No byte passes to or from Postgres, and no connection ends.
};
inline constexpr int kFaultKinds = 17;

// "kill", "pg-cut"
const char* NameOf(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kKill;
  std::string target;  // A process; empty for those of Postgres.
  std::string other;   // kPartition only.
  absl::Duration start, length;
  absl::Duration size;  // kClock: how far; kDelay, kPgDelay: how late.
  int percent = 0;      // kLoss: of a hundred packets.

  absl::Duration end() const { return start + length; }
};

struct ScheduleOptions {
  std::uint64_t seed = 1;
  absl::Duration duration;
  std::vector<std::string> processes;
  std::vector<FaultKind> kinds;  // To choose from.
};

// In order of start; each has ended by `duration`. Two may overlap, unless one of them ends or
// starts a process or Postgres itself: what then fails to start would only be waited for.
std::vector<Fault> MakeSchedule(const ScheduleOptions& options);

// "at 12.3 s for 4.1 s: stop rules.2"
std::string Text(const Fault& fault);

}  // namespace tarot::chaos
