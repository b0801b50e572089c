// Defines the version and the commit of this process, and the series about the process:
// tarot_build_info, and process_* with the names that all Prometheus clients use.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::obs {

absl::string_view Version();
// Returns the commit. Returns "unknown" in tests, and in a program that was built outside of a git
// clone and without TAROT_COMMIT.
absl::string_view Commit();

// Reads /proc at each scrape. A file that cannot be read counts as empty.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace tarot::obs
