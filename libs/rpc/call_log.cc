#include "libs/rpc/call_log.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"
#include "libs/obs/log_limiter.h"

namespace tarot::rpc {
namespace {

std::string Seconds(absl::Duration time) {
  return time == absl::ZeroDuration() ? "" : absl::StrCat(absl::ToDoubleSeconds(time));
}

}  // namespace

void LogCall(const CallEnd& end, absl::Time now, absl::AnyInvocable<CallSubject()>& describe) {
  const absl::StatusCode code = end.status.code();
  const bool broken = code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown;
  // CANCELLED does not count as a failure, because clients often cancel their calls.
  const bool failed = !end.status.ok() && code != absl::StatusCode::kCancelled;
  const bool slow = end.elapsed > kSlowCall;
  if (!failed && !slow && !end.sampled) return;
  // These limits keep the log small if a busy machine makes every call slow, or if an attacker
  // makes many calls that fail.
  static auto* const slow_calls = new obs::LogLimiter(10, absl::Seconds(10));
  static auto* const failed_calls = new obs::LogLimiter(10, absl::Seconds(10));
  std::optional<int> left_out = 0;
  if (!broken && !end.sampled) {
    left_out = (failed ? failed_calls : slow_calls)->Admit(end.method, now);
  }
  if (!left_out) return;
  const CallSubject subject = describe();
  obs::Log(broken ? obs::Level::kError
           : slow ? obs::Level::kWarning
                  : obs::Level::kInfo,
           failed ? "call failed"
           : slow ? "call was slow"
                  : "call",
           {{"method", end.method},
            {"table", subject.table},
            {"request_id", subject.request_id},
            {"trace_id", subject.trace_id},
            {"code", absl::StatusCodeToString(code)},
            {"reason", GetErrorDetails(end.status).reason},
            {"why", obs::LoggableMessage(end.status)},
            {"left_out", *left_out > 0 ? absl::StrCat(*left_out) : ""},
            {"waited_seconds", Seconds(end.waited)},
            {"upstream", subject.upstream},
            {"upstream_seconds", Seconds(subject.upstream_time)},
            {"seconds", absl::StrCat(absl::ToDoubleSeconds(end.elapsed))}});
}

}  // namespace tarot::rpc
