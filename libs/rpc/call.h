// The parts that calls between processes share: the channel, the time limit and the trace.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// Makes a channel to a service, with keepalive, round_robin over dns:///, and no retries, because
// only the outermost client retries. `target` is host:port (the host may have several addresses),
// unix:path, or a comma list of ip:port. Equal replicas get calls in turn. The channel connects by
// itself, and reconnects within 1 s after a loss. If a replica's connection is lost, the channel
// skips this replica at once. If a replica stops answering while calls wait, the channel skips it
// after 8 s.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target);

// Returns true if `target` has one of these forms. This check is needed because gRPC would resolve
// any word as a name, and would take 65537 for port 1.
bool IsTarget(absl::string_view target);

// Makes the call end with DEADLINE_EXCEEDED when `timeout` has passed.
void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

// The metadata key of the trace that a call belongs to (W3C Trace Context). The outermost caller
// sets it, every inner call passes it on, and log lines contain it.
inline constexpr char kTraceMetadata[] = "traceparent";

// Returns the `traceparent` of a call; empty if the call has none or a malformed one.
std::string TraceParentOf(const grpc::CallbackServerContext& context);
// Adds `traceparent` to an outgoing call, unless it is empty.
void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context);

bool IsTraceParent(absl::string_view text);
// Returns the 32 hexadecimal digits of the trace; empty if `traceparent` is malformed.
std::string TraceIdOf(absl::string_view traceparent);

}  // namespace tarot::rpc
