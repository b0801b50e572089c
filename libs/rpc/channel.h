// One channel per service: keepalive, round_robin over dns:///, and no retries, because only the
// outermost client retries.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// `target` is host:port (the host may have several addresses), unix:path, or a comma list of
// ip:port. Equal replicas get calls in turn. The channel connects by itself, and again within 1 s
// after a loss. It skips a replica whose connection is lost at once, and a replica that stops
// answering while calls wait for it after 8 s.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target);

// Returns true if `target` has one of these forms. gRPC itself would resolve any word as a name,
// and take 65537 for port 1.
bool IsTarget(absl::string_view target);

void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

}  // namespace tarot::rpc
