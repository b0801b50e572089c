// Tells the matchmaking service which players are online, so that their friends see it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Reports the active players, every kPresenceInterval. A player is active if the player has an open
// stream, or has made a call since the previous report. One call reports at most kPresenceBatch
// players. If a call fails, the rest of the report is dropped, because the next report comes soon.
class PresenceReports {
 public:
  // Returns the active players, and begins the next interval. Any thread may call it.
  using ActivePlayers = std::function<std::vector<PlayerId>()>;

  // The referenced objects must outlive this one.
  PresenceReports(const std::shared_ptr<grpc::Channel>& matchmaking,
                  const rpc::Authenticator& identity, ActivePlayers active, Scheduler& scheduler,
                  rpc::CallMetrics& calls);

  // Makes the first report after one interval.
  void Start();
  // Cancels the call in flight and waits for its callback. Stop the scheduler first.
  void Stop() { pending_.Stop(); }

 private:
  // Sends the players from index `begin` on.
  void Send(std::shared_ptr<const std::vector<PlayerId>> players, std::size_t begin);

  const std::unique_ptr<tarot::matchmaking::v1::MatchmakingAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  const ActivePlayers active_;
  Scheduler& scheduler_;
  rpc::MethodMetrics metrics_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::gateway_service
