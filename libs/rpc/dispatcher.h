// Handles unary calls. gRPC has only few callback threads, and these must never block. So the
// dispatcher moves each call to a bounded pool of workers, which may wait for Postgres. It
// authenticates, counts and times calls, and logs failures.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"

namespace tarot::rpc {

class Dispatcher {
 public:
  using Handler = absl::AnyInvocable<absl::Status(const Caller&)>;
  // The function that answers the call. Call it once, from any thread, and do not use the call's
  // objects after it.
  using Finish = absl::AnyInvocable<void(const absl::Status&)>;
  using LaterHandler = absl::AnyInvocable<void(const Caller&, Finish)>;

  // The fields of a call's log line other than its method. Unknown fields stay empty.
  struct Subject {
    std::string table;
    std::string request_id;
    std::string trace_id;
  };
  // Fills in the fields. The dispatcher calls it before the answer, while the request exists, and
  // only if it writes a log line.
  using Describe = absl::AnyInvocable<Subject()>;

  Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
             CallMetrics& metrics);

  // `method` is, for example, "tarot.rules.v1.TableService/SubmitAction". The request and the
  // response live until the handler returns. If the workers' queue is full, the caller gets
  // UNAVAILABLE OVERLOADED.
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const char* method,
                                  Access access, Handler handler);

  // Like Unary, but for a handler that returns before its work is done. The request and the
  // response live until the handler calls `Finish`. `describe` need not fill in the trace.
  grpc::ServerUnaryReactor* UnaryLater(grpc::CallbackServerContext* context, const char* method,
                                       Access access, LaterHandler handler, Describe describe = {});

  // Like UnaryLater, but for a call that came in a message of a stream. `caller` sent it. `answer`
  // gets its status once, perhaps before InStream returns. `gone` returns true if the caller does
  // not wait any more.
  void InStream(const char* method, Caller caller, absl::AnyInvocable<bool()> gone,
                LaterHandler handler, Describe describe, Finish answer);

  // Authenticates the caller of a stream.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;
  Clock& clock() { return clock_; }
  WorkerPool& workers() { return workers_; }
  MethodMetrics Method(const std::string& method) { return metrics_.Method(method); }

 private:
  // Begins to count and time a call. The call ends when the returned function is called, which then
  // calls `answer`.
  Finish Counted(const char* method, Describe describe, Finish answer);

  Clock& clock_;
  WorkerPool& workers_;
  const Authenticator& authenticator_;
  CallMetrics& metrics_;
};

}  // namespace tarot::rpc
