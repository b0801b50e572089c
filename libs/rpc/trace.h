// The trace that a call is part of: whoever is outside says which (W3C Trace Context,
// `traceparent`), it goes along with the call, and lines of the log name it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/strings/string_view.h"

namespace tarot::rpc {

inline constexpr char kTraceMetadata[] = "traceparent";

// The `traceparent` of a call; empty when it has none, or one that is malformed.
std::string TraceParentOf(const grpc::CallbackServerContext& context);
// It goes along with an outgoing call, unless it is empty.
void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context);

bool IsTraceParent(absl::string_view text);
// Its 32 hexadecimal digits; empty when `traceparent` is none.
std::string TraceIdOf(absl::string_view traceparent);

}  // namespace tarot::rpc
