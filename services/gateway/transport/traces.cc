#include "services/gateway/transport/traces.h"

#include "absl/functional/any_invocable.h"
#include "libs/rpc/call_log.h"
#include "libs/rpc/trace.h"

namespace tarot::gateway_service {

std::string Traces::Begin(grpc::CallbackServerContext& call) {
  const bool sampled = ++calls_ % static_cast<std::uint64_t>(one_in_) == 0;
  std::string trace = rpc::NewTraceParent(rpc::TraceParentOf(call), sampled, entropy_);
  call.AddInitialMetadata(rpc::kTraceIdMetadata, rpc::TraceIdOf(trace));
  return trace;
}

void LogAnswered(absl::string_view method, const absl::Status& status,
                 const std::string& traceparent, absl::Time start, absl::Time now) {
  absl::AnyInvocable<rpc::CallSubject()> describe = [&traceparent] {
    return rpc::CallSubject{.trace_id = rpc::TraceIdOf(traceparent)};
  };
  rpc::LogCall({.method = method,
                .status = status,
                .waited = absl::ZeroDuration(),
                .elapsed = now - start,
                .sampled = rpc::IsSampled(traceparent)},
               now, describe);
}

}  // namespace tarot::gateway_service
