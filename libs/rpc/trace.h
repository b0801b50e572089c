// Implements the trace of a call (W3C Trace Context, https://www.w3.org/TR/trace-context). The
// gateway gives every call of a player a trace. The calls between services pass the trace on, and
// log lines have the trace's id. So one id finds the lines of all processes that worked for one
// call.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/strings/string_view.h"
#include "libs/base/entropy.h"

namespace tarot::rpc {

// The metadata key of a call's trace. Its value is a traceparent of version 00: "00-", 32
// hexadecimal digits of the trace's id, "-", 16 digits of the caller's span, "-", and 2 digits of
// flags.
inline constexpr char kTraceMetadata[] = "traceparent";
// The metadata key by which the gateway tells a client the id of the call's trace.
inline constexpr char kTraceIdMetadata[] = "x-tarot-trace-id";

bool IsTraceParent(absl::string_view text);
// Returns the trace's id, 32 hexadecimal digits, or an empty text if `traceparent` is malformed.
std::string TraceIdOf(absl::string_view traceparent);
// Returns true if the flag "sampled" is set. Then each process writes a line about the call, even
// if the call is fast and succeeds.
bool IsSampled(absl::string_view traceparent);

// Returns a traceparent with a new span and the trace's id of `traceparent`. If `traceparent` is
// malformed, the id is new too. `entropy` may be any source, because an id is not a secret.
std::string NewTraceParent(absl::string_view traceparent, bool sampled, Entropy& entropy);

// Returns the `traceparent` of a call, or an empty text if the call has none or a malformed one.
std::string TraceParentOf(const grpc::CallbackServerContext& context);
// Adds `traceparent` to an outgoing call. Does nothing if it is empty.
void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context);

}  // namespace tarot::rpc
