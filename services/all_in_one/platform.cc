#include "services/all_in_one/platform.h"

#include "libs/base/status_macros.h"

namespace tarot::all_in_one {

absl::StatusOr<std::unique_ptr<Platform>> Platform::Start(
    const Options& options, Clock& clock, Scheduler& scheduler, Entropy& entropy,
    const std::shared_ptr<prometheus::Registry>& registry,
    const std::shared_ptr<prometheus::Registry>& gateway_registry) {
  std::unique_ptr<Platform> p(new Platform);
  TAROT_ASSIGN_OR_RETURN(
      p->bot_, bot_service::Service::Start(options.bot, clock, scheduler, entropy, registry));
  TAROT_ASSIGN_OR_RETURN(p->ratings_, ratings_service::Service::Start(
                                          options.ratings, clock, scheduler, entropy, registry));
  TAROT_ASSIGN_OR_RETURN(
      p->rules_, rules_service::Service::Start(options.rules, clock, scheduler, entropy, registry));
  TAROT_ASSIGN_OR_RETURN(p->matchmaking_,
                         matchmaking_service::Service::Start(options.matchmaking, clock, scheduler,
                                                             entropy, registry));
  TAROT_ASSIGN_OR_RETURN(p->gateway_, gateway::Service::Start(options.gateway, clock, scheduler,
                                                              entropy, gateway_registry));
  return p;
}

void Platform::Shutdown() {
  if (gateway_) gateway_->Shutdown();
  if (matchmaking_) matchmaking_->Shutdown();
  if (rules_) rules_->Shutdown();
  if (ratings_) ratings_->Shutdown();
  if (bot_) bot_->Shutdown();
}

}  // namespace tarot::all_in_one
