// The whole ratings service in one object, which main(), the tests and all_in_one make.
#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/ratings/options.h"

namespace tarot::ratings_service {

class Service {
 public:
  // Migrates the database, then serves. The references must outlive the service.
  static absl::StatusOr<std::unique_ptr<Service>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      std::shared_ptr<prometheus::Registry> registry);
  ~Service();  // Shuts down.

  int port() const;
  void Shutdown();  // Idempotent.

 private:
  struct Dependencies;
  explicit Service(std::unique_ptr<Dependencies> dependencies);
  std::unique_ptr<Dependencies> dependencies_;
};

}  // namespace tarot::ratings_service
