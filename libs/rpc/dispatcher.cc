#include "libs/rpc/dispatcher.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"

namespace tarot::rpc {
namespace {

constexpr absl::Duration kSlow = absl::Seconds(1);

// Logs a call that was slow or failed by a bug (INTERNAL or UNKNOWN). Never logs the request,
// because it may contain cards.
void LogUnusual(const char* method, const absl::Status& status, absl::Duration elapsed,
                Dispatcher::Describe& describe) {
  const bool broken =
      status.code() == absl::StatusCode::kInternal || status.code() == absl::StatusCode::kUnknown;
  if (!broken && elapsed <= kSlow) return;
  const Dispatcher::Subject subject = describe();
  obs::Log(broken ? obs::Level::kError : obs::Level::kWarning,
           broken ? "call failed" : "call was slow",
           {{"method", method},
            {"table", subject.table},
            {"request_id", subject.request_id},
            {"trace_id", subject.trace_id},
            {"code", absl::StatusCodeToString(status.code())},
            {"reason", GetErrorDetails(status).reason},
            {"why", status.message()},
            {"seconds", absl::StrCat(absl::ToDoubleSeconds(elapsed))}});
}

}  // namespace

Dispatcher::Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
                       CallMetrics& metrics)
    : clock_(clock), workers_(workers), authenticator_(authenticator), metrics_(metrics) {}

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
    Subject subject = describe ? describe() : Subject{};
    subject.trace_id = TraceIdOf(TraceParentOf(*context));
    return subject;
  };
  Finish finish = [reactor](const absl::Status& status) {
    // Finish must be the last statement, because it may destroy the objects of the call.
    reactor->Finish(status::ToGrpc(status));
  };
  absl::StatusOr<Caller> caller = Authenticate(*context, access);
  if (!caller.ok()) {
    // The token is checked on gRPC's thread, so that calls without a valid token never reach the
    // workers.
    Counted(method, std::move(whole), std::move(finish))(caller.status());
    return reactor;
  }
  InStream(
      method, *std::move(caller), [context] { return context->IsCancelled(); }, std::move(handler),
      std::move(whole), std::move(finish));
  return reactor;
}

void Dispatcher::InStream(const char* method, Caller caller, absl::AnyInvocable<bool()> gone,
                          LaterHandler handler, Describe describe, Finish answer) {
  const auto finish =
      std::make_shared<Finish>(Counted(method, std::move(describe), std::move(answer)));
  const bool queued = workers_.TryRun([finish, caller = std::move(caller), gone = std::move(gone),
                                       handler = std::move(handler)]() mutable {
    // The caller no longer waits for the answer, so the handler need not run.
    if (gone()) return (*finish)(absl::CancelledError("The caller is gone."));
    handler(caller, std::move(*finish));
  });
  if (!queued) {  // The handler has not run, so the client may call again.
    (*finish)(Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy."));
  }
}

Dispatcher::Finish Dispatcher::Counted(const char* method, Describe describe, Finish answer) {
  MethodMetrics metrics = metrics_.Method(method);
  metrics.Started();
  metrics.MessageReceived();
  return [this, method, metrics = std::move(metrics), start = clock_.Now(),
          describe = std::move(describe),
          answer = std::move(answer)](const absl::Status& status) mutable {
    const absl::Duration elapsed = clock_.Now() - start;
    LogUnusual(method, status, elapsed, describe);
    if (status.ok()) metrics.MessageSent();
    metrics.Handled(status.code(), elapsed);
    answer(status);
  };
}

absl::StatusOr<Caller> Dispatcher::Authenticate(const grpc::CallbackServerContext& context,
                                                Access access) const {
  return authenticator_.Authenticate(context, access);
}

}  // namespace tarot::rpc
