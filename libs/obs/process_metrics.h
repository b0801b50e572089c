// Defines the version and the commit of this process, and the series about the process:
// tarot_build_info, and process_* with the names that all Prometheus clients use.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::obs {

absl::string_view Version();
// Returns the commit. Returns "unknown" in tests, and in a program that was built outside of a git
// clone and without TAROT_COMMIT.
absl::string_view Commit();

// Returns the lowest memory limit, in bytes, of a process's cgroup and its parents, or `machine` if
// there is no lower limit. `cgroups` is the text of /proc/self/cgroup, and `root` is the folder of
// cgroup v2. A folder that cannot be read counts as no limit.
double MemoryLimit(const std::string& root, absl::string_view cgroups, double machine);

// Reads /proc and /sys/fs/cgroup at each scrape. A file that cannot be read counts as empty.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace tarot::obs
