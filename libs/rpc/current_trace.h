// Gives the trace of the call for which a thread works. So the handler of a call can pass the trace
// on to another service, although the code between them knows no traces.
#pragma once

#include <string>

namespace tarot::rpc {

// Returns the `traceparent` (trace.h) of the call for which this thread works now, or an empty
// text. Dispatcher sets it while it runs the handler of a unary call. A background task has no
// trace, even if a call has started the task.
const std::string& CurrentTrace();

// Sets CurrentTrace() of this thread while the object lives.
class TraceScope {
 public:
  explicit TraceScope(std::string traceparent);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  std::string previous_;
};

}  // namespace tarot::rpc
