// The log line of one call in one process. Calls that fail, slow calls and sampled calls get a
// line. All lines of a trace have the same `trace_id`; `tarotctl trace` sorts them by time.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// A call that takes longer is slow. It is the limit of the service level for moves.
inline constexpr absl::Duration kSlowCall = absl::Milliseconds(250);

// Fields that cost work, so they are made only for a call that gets a line. Unknown fields stay
// empty, and unknown durations stay zero.
struct CallSubject {
  std::string table;
  std::string request_id;
  std::string trace_id;
  std::string upstream;  // The service that the call was passed on to.
  absl::Duration upstream_time;
};

struct CallEnd {
  absl::string_view method;  // For example "tarot.rules.v1.TableService/SubmitAction".
  const absl::Status& status;
  absl::Duration waited;  // From the start until a handler began to work.
  absl::Duration elapsed;
  bool sampled;  // See IsSampled.
};

// Writes the line, if the call needs one. `now` is the time at which the call ended. Never logs the
// request, because it may contain cards. A method writes at most ten lines in ten seconds for slow
// calls, and as many for calls that the caller made wrongly; the next line tells how many were left
// out. Failures by a bug (INTERNAL, UNKNOWN) and sampled calls always get a line.
void LogCall(const CallEnd& end, absl::Time now, absl::AnyInvocable<CallSubject()>& describe);

}  // namespace tarot::rpc
