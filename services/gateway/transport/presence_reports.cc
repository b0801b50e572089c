#include "services/gateway/transport/presence_reports.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

namespace mm = ::tarot::matchmaking::v1;

PresenceReports::PresenceReports(const std::shared_ptr<grpc::Channel>& matchmaking,
                                 const rpc::Authenticator& identity, ActivePlayers active,
                                 Scheduler& scheduler, rpc::CallMetrics& calls)
    : stub_(mm::MatchmakingAdminService::NewStub(matchmaking)),
      identity_(identity),
      active_(std::move(active)),
      scheduler_(scheduler),
      metrics_(calls.Method("tarot.matchmaking.v1.MatchmakingAdminService/MarkOnline")) {}

void PresenceReports::Start() {
  scheduler_.After(kPresenceInterval, [this] {
    Send(std::make_shared<const std::vector<PlayerId>>(active_()), 0);
    Start();
  });
}

void PresenceReports::Send(std::shared_ptr<const std::vector<PlayerId>> players,
                           std::size_t begin) {
  if (begin >= players->size()) return;
  struct Call {
    std::optional<grpc::ClientContext> context{std::in_place};
    mm::MarkOnlineRequest request;
    mm::MarkOnlineResponse response;
    Stopwatch watch;
  };
  const auto call = std::make_shared<Call>();
  const std::size_t end = std::min(begin + kPresenceBatch, players->size());
  for (std::size_t i = begin; i < end; ++i) {
    call->request.add_players(absl::StrCat("players/", (*players)[i].ToString()));
  }
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kPresenceTimeout);
  if (!pending_.Add(call->context)) return;
  metrics_.Started();
  metrics_.MessageSent();
  stub_->async()->MarkOnline(
      &*call->context, &call->request, &call->response,
      [this, call, players = std::move(players), end](const grpc::Status& status) {
        metrics_.Handled(static_cast<absl::StatusCode>(status.error_code()), call->watch.Elapsed());
        if (status.ok()) {
          metrics_.MessageReceived();
          Send(players, end);
        }
        pending_.Remove(call->context);
      });
}

}  // namespace tarot::gateway_service
