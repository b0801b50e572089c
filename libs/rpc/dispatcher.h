// Handles unary calls. gRPC has only a few callback threads, and they must never block. So the
// dispatcher runs each handler on a thread of a worker pool, which may wait for Postgres. It also
// checks the caller's token, counts and times the calls, and logs calls that are slow or fail by a
// bug.
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
  // The function that answers the call. Call it once, from any thread. After it, do not use the
  // request, the response and the context of the call.
  using Finish = absl::AnyInvocable<void(const absl::Status&)>;
  using LaterHandler = absl::AnyInvocable<void(const Caller&, Finish)>;

  // Fields of a call's log line. Unknown fields stay empty.
  struct Subject {
    std::string table;
    std::string request_id;
    std::string trace_id;
  };
  // Returns these fields. The dispatcher calls it only if it writes a log line, and before the
  // answer, while the request still exists.
  using Describe = absl::AnyInvocable<Subject()>;

  Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
             CallMetrics& metrics);

  // Runs `handler` on a worker thread if `access` accepts the caller, and answers with the
  // handler's status. `method` is, for example, "tarot.rules.v1.TableService/SubmitAction". The
  // request and the response live until the handler returns. If the workers' queue is full, the
  // caller gets UNAVAILABLE OVERLOADED.
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const char* method,
                                  Access access, Handler handler);

  // Like Unary, but for a handler that may return before its work is done. The request and the
  // response live until the handler calls its `Finish`. `describe` may leave `trace_id` empty.
  grpc::ServerUnaryReactor* UnaryLater(grpc::CallbackServerContext* context, const char* method,
                                       Access access, LaterHandler handler, Describe describe = {});

  // Like UnaryLater, but for a call of `caller` that came in a message of a stream. `answer` gets
  // the status once, perhaps before InStream returns. `gone` must return true if the caller no
  // longer waits; then the handler does not run.
  void InStream(const char* method, Caller caller, absl::AnyInvocable<bool()> gone,
                LaterHandler handler, Describe describe, Finish answer);

  // Checks the token of a stream, and returns its caller. See Authenticator::Authenticate.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;
  Clock& clock() { return clock_; }
  WorkerPool& workers() { return workers_; }
  MethodMetrics Method(const std::string& method) { return metrics_.Method(method); }

 private:
  // Counts a call as started, and returns the function that ends it. That function counts, times
  // and perhaps logs the call, and then calls `answer`.
  Finish Counted(const char* method, Describe describe, Finish answer);

  Clock& clock_;
  WorkerPool& workers_;
  const Authenticator& authenticator_;
  CallMetrics& metrics_;
};

}  // namespace tarot::rpc
