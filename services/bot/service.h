// The bot service: connects app and transport. It has no storage.
#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/bot/options.h"

namespace tarot::bot_service {

class Service {
 public:
  static absl::StatusOr<std::unique_ptr<Service>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      std::shared_ptr<prometheus::Registry> registry);
  ~Service();

  int port() const;

  // Refuses new work and finishes the accepted work. Idempotent.
  void Shutdown();

 private:
  struct Dependencies;
  explicit Service(std::unique_ptr<Dependencies> dependencies);
  std::unique_ptr<Dependencies> dependencies_;
};

}  // namespace tarot::bot_service
