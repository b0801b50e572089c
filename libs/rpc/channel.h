// One channel per peer: keepalive, round_robin over dns:///, a deadline on every call, no retries
// inside (only the outermost client retries).
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// `target` is host:port (the host may stand for several addresses), unix:path, or a comma list of
// ip:port: replicas that are the same to us, served in turn. Connects by itself and again after a
// loss, at most 1 s later; a replica whose connection is lost is left out at once, one that stopped
// answering while calls wait for it after 8 s.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target);

// Whether `target` has one of these forms. gRPC itself would look any word up as a name, and take
// 65537 for port 1.
bool IsTarget(absl::string_view target);

void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

}  // namespace tarot::rpc
