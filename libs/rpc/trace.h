// The trace that a call belongs to. The outermost caller sets it (W3C Trace Context,
// `traceparent`), every inner call passes it on, and log lines contain it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/strings/string_view.h"

namespace tarot::rpc {

inline constexpr char kTraceMetadata[] = "traceparent";

// Returns the `traceparent` of a call; empty if the call has none or a malformed one.
std::string TraceParentOf(const grpc::CallbackServerContext& context);
// Adds `traceparent` to an outgoing call, unless it is empty.
void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context);

bool IsTraceParent(absl::string_view text);
// Returns the 32 hexadecimal digits of the trace; empty if `traceparent` is malformed.
std::string TraceIdOf(absl::string_view traceparent);

}  // namespace tarot::rpc
