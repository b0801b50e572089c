#include "libs/obs/metrics_server.h"

#include <prometheus/exposer.h>

#include <exception>

#include "libs/obs/log.h"

namespace tarot::obs {

MetricsServer::MetricsServer(const std::string& address,
                             std::shared_ptr<prometheus::Registry> registry)
    : registry_(std::move(registry)) {
  try {
    exposer_ = std::make_unique<prometheus::Exposer>(address);
    port_ = exposer_->GetListeningPorts().at(0);
    exposer_->RegisterCollectable(registry_);
  } catch (const std::exception& e) {  // The Exposer throws if the port is taken.
    exposer_.reset();
    Log(Level::kError, "metrics cannot be served", {{"address", address}, {"why", e.what()}});
  }
}

MetricsServer::~MetricsServer() = default;

}  // namespace tarot::obs
