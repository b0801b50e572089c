// Carries a unary call from gRPC's few callback threads (which must never block) to our own bounded
// workers (which may wait for Postgres), and back; authenticates, counts, times, and logs failures.
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
  // Answers the call: once, from any thread, and nothing of the call may be touched after.
  using Finish = absl::AnyInvocable<void(const absl::Status&)>;
  using LaterHandler = absl::AnyInvocable<void(const Caller&, Finish)>;

  // What a line of the log says of a call besides its method; what is not known stays empty.
  struct Subject {
    std::string table;
    std::string request_id;
    std::string trace_id;
  };
  // Asked before the answer, while the request lives, and only for such a line.
  using Describe = absl::AnyInvocable<Subject()>;

  Dispatcher(Clock& clock, WorkerPool& workers, const Authenticator& authenticator,
             CallMetrics& metrics);

  // `method` is "tarot.rules.v1.TableService/SubmitAction". The request and the response live until
  // the handler returns. UNAVAILABLE OVERLOADED when the workers' queue is full.
  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context, const char* method,
                                  Access access, Handler handler);

  // As Unary, for work that goes on after the handler has returned: until `Finish`, the request and
  // the response live. `describe` need not know the trace.
  grpc::ServerUnaryReactor* UnaryLater(grpc::CallbackServerContext* context, const char* method,
                                       Access access, LaterHandler handler, Describe describe = {});

  // As UnaryLater, for a call that came in a message of a stream, from `caller`. `answer` gets what
  // becomes of it, once, perhaps at once; `gone` tells whether nobody waits for that any more.
  void InStream(const char* method, Caller caller, absl::AnyInvocable<bool()> gone,
                LaterHandler handler, Describe describe, Finish answer);

  // For stream reactors: who calls.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;
  Clock& clock() { return clock_; }
  WorkerPool& workers() { return workers_; }
  MethodMetrics Method(const std::string& method) { return metrics_.Method(method); }

 private:
  // Counts and times the call `method` until the result is called, which then calls `answer`.
  Finish Counted(const char* method, Describe describe, Finish answer);

  Clock& clock_;
  WorkerPool& workers_;
  const Authenticator& authenticator_;
  CallMetrics& metrics_;
};

}  // namespace tarot::rpc
