// Runs a cluster under load and faults, and then the checker.
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
  absl::Duration duration = absl::Minutes(1);  // The time with faults.
  // The time of play without faults before the progress check.
  absl::Duration heal = absl::Seconds(15);
  // The longest time, after `heal`, until all finished matches are rated.
  absl::Duration outbox_max = absl::Seconds(30);
  std::map<std::string, int> replicas;
  std::map<std::string, std::string> binaries;  // The same as in e2e::ClusterOptions.
  std::vector<FaultKind> kinds;
  load::Options load;    // Run fills in the addresses.
  bool network = false;  // True if each process has its own network namespace, so that faults may
                         // cut its network.
  std::string history;   // The file to write.
  // The folder for the processes' logs after a failure. If it is empty, logs are not kept.
  std::string logs;
  // The run calls this function often. When it returns true, the run cleans up and ends.
  std::function<bool()> stop = [] { return false; };
};

struct RunResult {
  check::Report report;
  std::map<std::string, ResumeTimes> resume;
  std::vector<std::string> complaints;  // The problems that the run itself found. `report` has the
                                        // findings of the checker.
  double moves_per_s = 0;
  long takeovers = 0;               // The smallest possible number of acquired tables (see
                                    // takeovers.h).
  std::vector<double> watch_lag_s;  // The same as Resume::WatchLag.

  bool ok() const { return report.ok() && complaints.empty(); }
};

// Runs the cluster with load and faults, and prints the schedule and the progress on stderr.
// Returns CANCELLED if `stop` ended the run.
absl::StatusOr<RunResult> Run(const RunOptions& options);

std::string Text(const RunResult& result);
std::string Json(const RunOptions& options, const RunResult& result);

}  // namespace tarot::chaos
