// Every service in one process: development, demos, small installs, end-to-end tests.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/bot/options.h"
#include "services/bot/service.h"
#include "services/gateway/options.h"
#include "services/gateway/service.h"
#include "services/matchmaking/options.h"
#include "services/matchmaking/service.h"
#include "services/ratings/options.h"
#include "services/ratings/service.h"
#include "services/rules/options.h"
#include "services/rules/service.h"

namespace tarot::all_in_one {

struct Options {
  bot_service::Options bot;
  ratings_service::Options ratings;
  rules_service::Options rules;
  matchmaking_service::Options matchmaking;
  gateway::Options gateway;
};

// Still speaking gRPC to one another, over loopback: the same code as apart.
class Platform {
 public:
  // The gateway has a registry of its own: it counts the same calls as those behind it.
  static absl::StatusOr<std::unique_ptr<Platform>> Start(
      const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
      const std::shared_ptr<prometheus::Registry>& registry,
      const std::shared_ptr<prometheus::Registry>& gateway_registry);
  ~Platform() { Shutdown(); }

  int gateway_port() const { return gateway_->port(); }

  // From the door inwards. Idempotent.
  void Shutdown();

 private:
  Platform() = default;

  std::unique_ptr<bot_service::Service> bot_;
  std::unique_ptr<ratings_service::Service> ratings_;
  std::unique_ptr<rules_service::Service> rules_;
  std::unique_ptr<matchmaking_service::Service> matchmaking_;
  std::unique_ptr<gateway::Service> gateway_;
};

}  // namespace tarot::all_in_one
