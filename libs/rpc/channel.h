// Makes one channel per service, with keepalive, round_robin over dns:///, and no retries, because
// only the outermost client retries.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// `target` is host:port (the host may have several addresses), unix:path, or a comma list of
// ip:port. Equal replicas get calls in turn. The channel connects by itself, and reconnects within
// 1 s after a loss. If a replica's connection is lost, the channel skips this replica at once. If a
// replica stops answering while calls wait, the channel skips it after 8 s.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target);

// Returns true if `target` has one of these forms. This check is needed because gRPC would resolve
// any word as a name, and would take 65537 for port 1.
bool IsTarget(absl::string_view target);

void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

}  // namespace tarot::rpc
