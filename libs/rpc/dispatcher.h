// Handles calls. gRPC has only a few callback threads, and they must never block. So the dispatcher
// runs the handler of a unary call on a worker thread. A worker thread may wait, for example for
// Postgres. The dispatcher also checks the caller's token, counts and times the calls, and writes
// their log lines (call_log.h).
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_log.h"
#include "libs/rpc/call_metrics.h"

namespace tarot::rpc {

class Dispatcher {
 public:
  using Handler = absl::AnyInvocable<absl::Status(const Caller&)>;
  // Ends the call with a status. Run this function once, on any thread. After it has run, do not
  // use the request, the response and the context of the call.
  using Finish = absl::AnyInvocable<void(const absl::Status&)>;
  using LaterHandler = absl::AnyInvocable<void(const Caller&, Finish)>;

  // Returns the fields of the call's log line. The dispatcher runs this function only if it writes
  // a log line. The dispatcher does this before the client gets the answer, while the request still
  // exists.
  using Describe = absl::AnyInvocable<CallSubject()>;

  // Returns OK if a call may run now. Otherwise returns the error that its caller gets, for example
  // because the database does not answer. Does not wait.
  using Admit = std::function<absl::Status()>;

  // If there is `admit`, the dispatcher asks it twice for each unary call: when the call comes, and
  // when a worker takes it. So while `admit` refuses, no call waits for a worker.
  Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
             CallMetrics& metrics, Admit admit = {});

  // Runs `handler` on a worker thread if `access` accepts the caller, and answers with the
  // handler's status. `method` is, for example, "tarot.rules.v1.TableService/SubmitAction". The
  // request and the response live until the handler returns. If the workers' queue is full, the
  // caller gets UNAVAILABLE OVERLOADED.
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const char* method,
                                  Access access, Handler handler);

  // Like Unary, but for a handler that may return before its work is done. The request and the
  // response live until the handler calls its `Finish`. The dispatcher sets the `trace_id` of the
  // result of `describe`.
  grpc::ServerUnaryReactor* UnaryLater(grpc::CallbackServerContext* context, const char* method,
                                       Access access, LaterHandler handler, Describe describe = {});

  // Handles a call of `caller` that came in a message of a stream. Runs `handler` at once on this
  // thread, so the handler must not wait. `answer` gets the status once, perhaps before InStream
  // returns. `sampled` is the flag of the call's trace.
  void InStream(const char* method, const Caller& caller, bool sampled, LaterHandler handler,
                Describe describe, Finish answer);

  // Checks the token of a stream, and returns its caller. See Authenticator::Authenticate.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      const char* method, Access access) const;
  absl::Status MayRun() const { return admit_ ? admit_() : absl::OkStatus(); }
  Clock& clock() { return clock_; }
  WorkerPool& workers() { return workers_; }
  MethodMetrics Method(const std::string& method) { return metrics_.Method(method); }

 private:
  struct Call;
  // Counts a call as started.
  std::shared_ptr<Call> Begin(const char* method, bool sampled, Describe describe, Finish answer);
  // Counts, times and perhaps logs the call, and then answers it.
  void End(Call& call, const absl::Status& status);

  Clock& clock_;
  WorkerPool& workers_;
  const Authenticator& authenticator_;
  CallMetrics& metrics_;
  const Admit admit_;
};

}  // namespace tarot::rpc
