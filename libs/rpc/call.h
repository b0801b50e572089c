// Functions for calls between processes: the channel, the time limit and the trace.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// Makes a channel to a service. `target` is host:port (the host may have several addresses),
// unix:path, several ip:port, separated by commas, or https://host:port for a door with TLS. All
// addresses must belong to replicas of one service, which get the calls in turn. With TLS the
// channel trusts the authorities of the system. If the environment names a readable file in
// SSL_CERT_FILE, it trusts those in the file instead. The channel connects by itself, and again
// within 1 s after a loss. A replica whose connection is lost gets no calls. If a replica stops
// answering while calls wait, its connection is closed after 8 s. The channel never repeats a call,
// because only the outermost client repeats calls.
// Channels of one process to one address share a connection, unless `own_connection` is true.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, bool own_connection = false);

// Returns true if `target` is a form that MakeChannel accepts, without TLS. gRPC itself would
// resolve any word as a name, and would take 65537 for port 1.
bool IsTarget(absl::string_view target);

// Makes the call end with DEADLINE_EXCEEDED when `timeout` has passed.
void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

// The metadata key of a call's trace (W3C Trace Context). The outermost caller may set it, the
// inner calls pass it on, and log lines have the trace's id.
inline constexpr char kTraceMetadata[] = "traceparent";

// Returns the `traceparent` of a call, or an empty text if the call has none or a malformed one.
std::string TraceParentOf(const grpc::CallbackServerContext& context);
// Adds `traceparent` to an outgoing call. Does nothing if it is empty.
void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context);

bool IsTraceParent(absl::string_view text);
// Returns the trace's id, 32 hexadecimal digits, or an empty text if `traceparent` is malformed.
std::string TraceIdOf(absl::string_view traceparent);

}  // namespace tarot::rpc
