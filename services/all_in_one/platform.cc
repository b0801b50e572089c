#include "services/all_in_one/platform.h"

#include <utility>

#include "libs/base/error.h"

namespace tarot::all_in_one {

absl::StatusOr<std::unique_ptr<Platform>> Platform::Start(
    const Options& options, const rpc::Environment& environment,
    const std::shared_ptr<prometheus::Registry>& gateway_registry) {
  std::unique_ptr<Platform> platform(new Platform);
  const auto add = [&](absl::StatusOr<std::unique_ptr<rpc::Service>> service) {
    if (service.ok()) platform->services_.push_back(*std::move(service));
    return service.status();
  };
  rpc::Environment gateway_environment = environment;
  gateway_environment.registry = gateway_registry;
  TAROT_RETURN_IF_ERROR(ratings_service::MigrateSchema(options.ratings));
  TAROT_RETURN_IF_ERROR(rules_service::MigrateSchema(options.rules));
  TAROT_RETURN_IF_ERROR(matchmaking_service::MigrateSchema(options.matchmaking));
  TAROT_RETURN_IF_ERROR(admin_service::MigrateSchema(options.admin));
  TAROT_RETURN_IF_ERROR(add(bot_service::StartService(options.bot, environment)));
  TAROT_RETURN_IF_ERROR(add(ratings_service::StartService(options.ratings, environment)));
  TAROT_RETURN_IF_ERROR(add(rules_service::StartService(options.rules, environment)));
  TAROT_RETURN_IF_ERROR(add(matchmaking_service::StartService(options.matchmaking, environment)));
  if (!options.admin.operator_key_file.empty()) {
    TAROT_RETURN_IF_ERROR(add(admin_service::StartService(options.admin, environment)));
  }
  TAROT_RETURN_IF_ERROR(add(gateway_service::StartService(options.gateway, gateway_environment)));
  return platform;
}

void Platform::AnnounceShutdown() {
  for (const auto& service : services_) service->AnnounceShutdown();
}

void Platform::Shutdown() {
  for (auto service = services_.rbegin(); service != services_.rend(); ++service) {
    (*service)->Shutdown();
  }
}

}  // namespace tarot::all_in_one
