// One channel per peer: keepalive, round_robin over dns:///, a deadline on every call, no retries
// inside (only the outermost client retries).
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace tarot::rpc {

// `target` is host:port or unix:path. Connects by itself and again after a loss, at most 1 s later.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target);

void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

}  // namespace tarot::rpc
