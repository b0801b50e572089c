// The whole matchmaking service in one object: main() holds one, and so do tests and all_in_one.
#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/options.h"

namespace tarot::matchmaking_service {

class Service {
 public:
  // Migrates the database, then serves; the other services may come later. What is passed by
  // reference must outlive the service.
  static absl::StatusOr<std::unique_ptr<Service>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      std::shared_ptr<prometheus::Registry> registry);
  ~Service();  // Shuts down.

  int port() const;
  void Shutdown();  // Idempotent.

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tarot::matchmaking_service
