// One outgoing unary call: signed as this service, with a deadline, counted, and owned until its
// answer came.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"

namespace tarot::matchmaking_service {

template <typename Request, typename Response>
struct PeerCall {
  PeerCall(const rpc::Authenticator& identity, absl::Duration timeout, rpc::MethodMetrics m,
           Clock& c)
      : metrics(std::move(m)), clock(c), start(c.Now()) {
    identity.Sign(*context, rpc::Caller{.service = "matchmaking"});
    rpc::SetTimeout(*context, timeout);
    metrics.Started();
    metrics.MessageSent();
  }

  absl::Status Ended(const grpc::Status& status) const {
    const absl::Status ended = status::FromGrpc(status);
    if (ended.ok()) metrics.MessageReceived();
    metrics.Handled(ended.code(), clock.Now() - start);
    return ended;
  }

  std::optional<grpc::ClientContext> context{std::in_place};
  Request request;
  Response response;
  rpc::MethodMetrics metrics;
  Clock& clock;
  const absl::Time start;
};

}  // namespace tarot::matchmaking_service
