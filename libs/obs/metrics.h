// Makes the series of a registry, and serves the registry over HTTP at /metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

namespace prometheus {
class Exposer;
}

namespace tarot::obs {

// Labels come from closed lists only, never from a player, a table or a card. Series of one name
// have the same help and different labels. The registry owns the result.
prometheus::Counter& Counter(prometheus::Registry& registry, const std::string& name,
                             const std::string& help, const prometheus::Labels& labels = {});
prometheus::Gauge& Gauge(prometheus::Registry& registry, const std::string& name,
                         const std::string& help, const prometheus::Labels& labels = {});
prometheus::Histogram& Histogram(prometheus::Registry& registry, const std::string& name,
                                 const std::string& help,
                                 const prometheus::Histogram::BucketBoundaries& buckets,
                                 const prometheus::Labels& labels = {});

// Serves a registry at /metrics.
class MetricsServer {
 public:
  // `address` is host:port; port 0 takes a free port. The constructor does not throw: if it fails,
  // `ok()` is false and the log has the reason.
  MetricsServer(const std::string& address, std::shared_ptr<prometheus::Registry> registry);
  ~MetricsServer();

  bool ok() const { return exposer_ != nullptr; }
  int port() const { return port_; }

 private:
  std::shared_ptr<prometheus::Registry> registry_;  // The Exposer has only a weak reference.
  std::unique_ptr<prometheus::Exposer> exposer_;
  int port_ = 0;
};

}  // namespace tarot::obs
