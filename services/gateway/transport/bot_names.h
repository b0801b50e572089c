// Reserves the names of the house's bots, so that no player can use them. The matchmaking service
// knows these names.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/gateway/app/display_name.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Asks the matchmaking service for the names: every kBotNamesRetry until the first answer, and then
// every kBotNamesInterval. If the matchmaking service does not answer, the names of the last answer
// stay reserved. Before the first answer, no name is reserved.
class BotNames {
 public:
  // The referenced objects must outlive this one.
  BotNames(const std::shared_ptr<grpc::Channel>& matchmaking, const rpc::Authenticator& identity,
           ReservedNames& names, Scheduler& scheduler, rpc::CallMetrics& calls);

  // Makes the first call.
  void Start() { Ask(); }
  // Cancels the call in flight and waits for its callback. Stop the scheduler first.
  void Stop() { pending_.Stop(); }

 private:
  void Ask();

  const std::unique_ptr<tarot::matchmaking::v1::MatchmakingAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  ReservedNames& names_;
  Scheduler& scheduler_;
  rpc::MethodMetrics metrics_;
  rpc::PendingCalls pending_;
  // True after the first answer. Only the callback of a call uses this member, and one call runs at
  // a time.
  bool known_ = false;
};

}  // namespace tarot::gateway_service
