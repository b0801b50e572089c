// Declares the platform: every service in one process, for development, demos and small
// installations.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/admin/service.h"
#include "services/bot/service.h"
#include "services/gateway/service.h"
#include "services/matchmaking/service.h"
#include "services/ratings/service.h"
#include "services/rules/service.h"

namespace tarot::all_in_one {

struct Options {
  bot_service::Options bot;
  ratings_service::Options ratings;
  rules_service::Options rules;
  matchmaking_service::Options matchmaking;
  gateway_service::Options gateway;
  // The admin service starts only if it has a key file of operators.
  admin_service::Options admin;
};

// The services call one another by gRPC over loopback, exactly as separate processes do.
class Platform final : public rpc::Service {
 public:
  // Applies the missing migrations and starts the whole platform. The gateway has its own registry
  // of metrics, because it counts the same calls as the other services.
  static absl::StatusOr<std::unique_ptr<Platform>> Start(
      const Options& options, const rpc::Environment& environment,
      const std::shared_ptr<prometheus::Registry>& gateway_registry);
  ~Platform() override { Shutdown(); }

  // Returns the port of the gateway.
  int port() const override { return services_.back()->port(); }

  void AnnounceShutdown() override;

  // Stops the gateway first, and then the services that it calls. A second call does nothing.
  void Shutdown() override;

 private:
  Platform() = default;

  // The services, in the order of their start.
  std::vector<std::unique_ptr<rpc::Service>> services_;
};

}  // namespace tarot::all_in_one
