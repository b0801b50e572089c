// Adds series to a registry, and serves the registry over HTTP at /metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "libs/obs/process_metrics.h"

namespace prometheus {
class Exposer;
}

namespace tarot::obs {

// These functions add a series to `registry`, which owns it. The values of labels come from fixed
// lists, never from a player, a table or a card. All series with one name must have the same help
// and different labels.
prometheus::Counter& Counter(prometheus::Registry& registry, const std::string& name,
                             const std::string& help, const prometheus::Labels& labels = {});
prometheus::Gauge& Gauge(prometheus::Registry& registry, const std::string& name,
                         const std::string& help, const prometheus::Labels& labels = {});
prometheus::Histogram& Histogram(prometheus::Registry& registry, const std::string& name,
                                 const std::string& help,
                                 const prometheus::Histogram::BucketBoundaries& buckets,
                                 const prometheus::Labels& labels = {});

// Serves at /metrics the series of a registry and the series about the process itself.
class MetricsServer {
 public:
  // `address` is host:port; with port 0 the system chooses a free port. The constructor does not
  // throw. If it fails, ok() is false and the log has the reason.
  MetricsServer(const std::string& address, std::shared_ptr<prometheus::Registry> registry);
  ~MetricsServer();

  bool ok() const { return exposer_ != nullptr; }
  int port() const { return port_; }

 private:
  // The MetricsServer owns `registry_` and `process_`, because the Exposer has only weak pointers
  // to them.
  std::shared_ptr<prometheus::Registry> registry_;
  std::shared_ptr<ProcessMetrics> process_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  int port_ = 0;
};

}  // namespace tarot::obs
