// All time series of the admin service. Create one object per process.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <string>

#include "libs/obs/metrics.h"

namespace tarot::admin_service {

struct Metrics {
  explicit Metrics(prometheus::Registry& registry)
      : calls_done(Calls(registry, "done")),
        calls_refused(Calls(registry, "refused")),
        calls_unrecorded(Calls(registry, "unrecorded")) {}

  prometheus::Counter& calls_done;
  prometheus::Counter& calls_refused;
  // Counts calls that could not be stored and did nothing. Also counts calls whose outcome could
  // not be stored.
  prometheus::Counter& calls_unrecorded;

 private:
  static prometheus::Counter& Calls(prometheus::Registry& registry, const std::string& outcome) {
    return obs::Counter(registry, "tarot_admin_calls_total", "Calls of operators.",
                        {{"outcome", outcome}});
  }
};

}  // namespace tarot::admin_service
