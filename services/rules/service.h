// The rules service in one piece: joins app, storage and transport.
#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/rules/options.h"

namespace tarot::rules_service {

class Service {
 public:
  // Migrates the schema, serves, and takes up every table that was in play.
  static absl::StatusOr<std::unique_ptr<Service>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      std::shared_ptr<prometheus::Registry> registry);
  ~Service();

  int port() const;

  // Drains: refuses new work and finishes what was accepted. Idempotent.
  void Shutdown();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tarot::rules_service
