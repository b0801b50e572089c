#include "libs/rpc/dispatcher.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/rpc/current_trace.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"

namespace tarot::rpc {

// A call between its start and its answer.
struct Dispatcher::Call {
  const char* method;
  MethodMetrics metrics;
  bool sampled;
  absl::Time start;
  absl::Duration waited;  // The time until a worker took the call.
  Describe describe;
  Finish answer;
};

Dispatcher::Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
                       CallMetrics& metrics, Admit admit)
    : clock_(clock),
      workers_(workers),
      authenticator_(authenticator),
      metrics_(metrics),
      admit_(std::move(admit)) {
  metrics_.AddWaitingCapacity(workers.capacity());
}

grpc::ServerUnaryReactor* Dispatcher::Unary(grpc::CallbackServerContext* context,
                                            const char* method, Access access, Handler handler) {
  return UnaryLater(context, method, access,
                    [handler = std::move(handler)](const Caller& caller, Finish finish) mutable {
                      finish(handler(caller));
                    });
}

grpc::ServerUnaryReactor* Dispatcher::UnaryLater(grpc::CallbackServerContext* context,
                                                 const char* method, Access access,
                                                 LaterHandler handler, Describe describe) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Describe whole = [context, describe = std::move(describe)]() mutable {
    CallSubject subject = describe ? describe() : CallSubject{};
    subject.trace_id = TraceIdOf(TraceParentOf(*context));
    return subject;
  };
  Finish finish = [reactor](const absl::Status& status) {
    // Finish must be the last statement, because it may destroy the objects of the call.
    reactor->Finish(status::ToGrpc(status));
  };
  const bool sampled = IsSampled(TraceParentOf(*context));
  absl::StatusOr<Caller> caller = Authenticate(*context, method, access);
  if (!caller.ok()) {
    // The token is checked on gRPC's thread, so that calls without a valid token never reach the
    // workers.
    End(*Begin(method, sampled, std::move(whole), std::move(finish)), caller.status());
    return reactor;
  }
  const std::shared_ptr<Call> call = Begin(method, sampled, std::move(whole), std::move(finish));
  if (const absl::Status status = MayRun(); !status.ok()) {
    End(*call, status);
    return reactor;
  }
  metrics_.AddWaiting(1);
  const bool queued = workers_.TryRun(
      [this, call, context, caller = *std::move(caller), handler = std::move(handler)]() mutable {
        metrics_.AddWaiting(-1);
        call->waited = clock_.Now() - call->start;
        // If the caller no longer waits for the answer, the handler need not run.
        if (context->IsCancelled()) return End(*call, absl::CancelledError("The caller is gone."));
        if (const absl::Status status = MayRun(); !status.ok()) return End(*call, status);
        const TraceScope scope(TraceParentOf(*context));
        handler(caller, [this, call](const absl::Status& status) { End(*call, status); });
      });
  if (!queued) {  // The handler has not run, so the client may call again.
    metrics_.AddWaiting(-1);
    End(*call, Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy."));
  }
  return reactor;
}

void Dispatcher::InStream(const char* method, const Caller& caller, bool sampled,
                          LaterHandler handler, Describe describe, Finish answer) {
  const std::shared_ptr<Call> call = Begin(method, sampled, std::move(describe), std::move(answer));
  handler(caller, [this, call](const absl::Status& status) { End(*call, status); });
}

std::shared_ptr<Dispatcher::Call> Dispatcher::Begin(const char* method, bool sampled,
                                                    Describe describe, Finish answer) {
  const auto call =
      std::make_shared<Call>(Call{method, metrics_.Method(method), sampled, clock_.Now(),
                                  absl::ZeroDuration(), std::move(describe), std::move(answer)});
  call->metrics.Started();
  call->metrics.MessageReceived();
  return call;
}

void Dispatcher::End(Call& call, const absl::Status& status) {
  const absl::Time now = clock_.Now();
  const absl::Duration elapsed = now - call.start;
  LogCall({.method = call.method,
           .status = status,
           .waited = call.waited,
           .elapsed = elapsed,
           .sampled = call.sampled},
          now, call.describe);
  if (status.ok()) call.metrics.MessageSent();
  call.metrics.Handled(status, elapsed);
  call.answer(status);
}

absl::StatusOr<Caller> Dispatcher::Authenticate(const grpc::CallbackServerContext& context,
                                                const char* method, Access access) const {
  return authenticator_.Authenticate(context, method, access);
}

}  // namespace tarot::rpc
