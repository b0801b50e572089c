#include "libs/obs/metrics.h"

#include <prometheus/exposer.h>

#include <exception>

#include "libs/obs/log.h"

namespace tarot::obs {

prometheus::Counter& Counter(prometheus::Registry& registry, const std::string& name,
                             const std::string& help, const prometheus::Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
}

prometheus::Gauge& Gauge(prometheus::Registry& registry, const std::string& name,
                         const std::string& help, const prometheus::Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
}

prometheus::Histogram& Histogram(prometheus::Registry& registry, const std::string& name,
                                 const std::string& help,
                                 const prometheus::Histogram::BucketBoundaries& buckets,
                                 const prometheus::Labels& labels) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(labels, buckets);
}

MetricsServer::MetricsServer(const std::string& address,
                             std::shared_ptr<prometheus::Registry> registry)
    : registry_(std::move(registry)), process_(std::make_shared<ProcessMetrics>()) {
  try {
    exposer_ = std::make_unique<prometheus::Exposer>(address);
    port_ = exposer_->GetListeningPorts().at(0);
    exposer_->RegisterCollectable(registry_);
    exposer_->RegisterCollectable(process_);
  } catch (const std::exception& e) {  // The Exposer throws if the port is taken.
    exposer_.reset();
    Log(Level::kError, "metrics cannot be served", {{"address", address}, {"why", e.what()}});
  }
}

MetricsServer::~MetricsServer() = default;

}  // namespace tarot::obs
