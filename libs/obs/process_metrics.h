// The version and the commit of this process, and its own series: process_*, with the names that
// all Prometheus clients use, and tarot_build_info.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::obs {

absl::string_view Version();
// Returns the commit, or "unknown" in tests and in a program that was built outside of a git clone.
absl::string_view Commit();

// Reads /proc at each scrape. If a file of /proc cannot be read, its series have the value zero.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace tarot::obs
