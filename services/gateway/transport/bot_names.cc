#include "services/gateway/transport/bot_names.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/call.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

namespace mm = ::tarot::matchmaking::v1;

BotNames::BotNames(const std::shared_ptr<grpc::Channel>& matchmaking,
                   const rpc::Authenticator& identity, ReservedNames& names, Scheduler& scheduler,
                   rpc::CallMetrics& calls)
    : stub_(mm::MatchmakingAdminService::NewStub(matchmaking)),
      identity_(identity),
      names_(names),
      scheduler_(scheduler),
      metrics_(calls.Method("tarot.matchmaking.v1.MatchmakingAdminService/ListHouseBots")) {}

void BotNames::Ask() {
  struct Call {
    std::optional<grpc::ClientContext> context{std::in_place};
    mm::ListHouseBotsRequest request;
    mm::ListHouseBotsResponse response;
    Stopwatch watch;
  };
  const auto call = std::make_shared<Call>();
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kBotNamesTimeout);
  if (!pending_.Add(call->context)) return;
  metrics_.Started();
  metrics_.MessageSent();
  stub_->async()->ListHouseBots(
      &*call->context, &call->request, &call->response, [this, call](const grpc::Status& status) {
        metrics_.Handled(static_cast<absl::StatusCode>(status.error_code()), call->watch.Elapsed());
        if (status.ok()) {
          metrics_.MessageReceived();
          std::vector<std::string> names;
          for (const mm::HouseBot& bot : call->response.bots()) names.push_back(bot.display_name());
          names_.Set(names);
          known_ = true;
        }
        scheduler_.After(known_ ? kBotNamesInterval : kBotNamesRetry, [this] { Ask(); });
        pending_.Remove(call->context);
      });
}

}  // namespace tarot::gateway_service
