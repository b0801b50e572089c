// Writes the log line of a call in this process. Calls that fail, slow calls and sampled calls get
// a line. All lines of a trace have the same `trace_id`; `tarotctl trace` sorts them by time.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// A call that takes longer than this counts as slow. The service level for moves has the same
// limit.
inline constexpr absl::Duration kSlowCall = absl::Milliseconds(250);

// The fields of a log line that take time to compute. LogCall computes them only for a call that
// gets a line. Unknown fields stay empty, and unknown durations stay zero.
struct CallSubject {
  std::string table;
  std::string request_id;
  std::string trace_id;
  std::string upstream;  // The service to which the gateway passed the call.
  absl::Duration upstream_time;
};

struct CallEnd {
  absl::string_view method;  // For example "tarot.rules.v1.TableService/SubmitAction".
  const absl::Status& status;
  absl::Duration waited;  // The time from the start of the call to the start of its handler.
  absl::Duration elapsed;
  bool sampled;  // See IsSampled.
};

// Writes the line, if the call needs one. `now` is the time at which the call ended. Never logs the
// request, because it may contain cards, and logs the message of an error only if
// obs::LoggableMessage() returns it. Sampled calls and failures by a bug (INTERNAL, UNKNOWN)
// always get a line. Other calls have limits: in ten seconds, each method writes at most ten lines
// about failures and at most ten lines about slow calls. The next line says how many lines were
// left out.
void LogCall(const CallEnd& end, absl::Time now, absl::AnyInvocable<CallSubject()>& describe);

}  // namespace tarot::rpc
