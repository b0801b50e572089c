// Serves /metrics over HTTP.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

namespace prometheus {
class Exposer;
}

namespace tarot::obs {

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
