// One run: a cluster under load and faults, then the checker's word on it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/chaos/resume.h"
#include "tests/chaos/schedule.h"
#include "tests/e2e/cluster.h"
#include "tools/load/check/checker.h"
#include "tools/load/options.h"

namespace tarot::chaos {

struct RunOptions {
  std::uint64_t seed = 1;
  absl::Duration duration = absl::Minutes(1);   // Of the faults.
  absl::Duration heal = absl::Seconds(15);      // Of play without any, before all must go on.
  absl::Duration told_max = absl::Seconds(30);  // Then, for the ends of matches to be rated.
  std::map<std::string, int> replicas;
  std::map<std::string, std::string> binaries;  // As of e2e::ClusterOptions.
  std::vector<FaultKind> kinds;
  load::Options load;    // Where to play is filled in.
  bool network = false;  // Every process in a network of its own, which faults may cut.
  std::string history;   // The file to write.
  std::string logs;      // A folder for what the processes wrote, when something is wrong; or none.
  std::function<bool()> stop = [] { return false; };  // Asked often: whether to take all down now.
};

struct RunResult {
  check::Report report;
  std::map<std::string, ResumeTimes> resume;
  std::vector<std::string> complaints;  // Besides the checker's.
  double moves_per_s = 0;
  long takeovers = 0;               // At least: takeovers.h.
  std::vector<double> watch_lag_s;  // As of Resume::WatchLag.

  bool ok() const { return report.ok() && complaints.empty(); }
};

// Prints the schedule and what happens on stderr. CANCELLED when it was stopped.
absl::StatusOr<RunResult> Run(const RunOptions& options);

std::string Text(const RunResult& result);
std::string Json(const RunOptions& options, const RunResult& result);

}  // namespace tarot::chaos
