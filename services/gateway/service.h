// The gateway, ready to serve: joins app and transport.
#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/gateway/options.h"

namespace tarot::gateway {

class Service {
 public:
  // Serves until Shutdown. All references outlive it.
  static absl::StatusOr<std::unique_ptr<Service>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      std::shared_ptr<prometheus::Registry> registry);
  ~Service();

  int port() const;
  void Shutdown();  // Idempotent.

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tarot::gateway
