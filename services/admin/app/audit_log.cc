#include "services/admin/app/audit_log.h"

#include <algorithm>
#include <string>

#include "libs/base/error.h"
#include "services/admin/app/errors.h"
#include "services/admin/limits.h"

namespace tarot::admin_service {
namespace {

bool IsReason(const std::string& why) {
  const bool control = std::any_of(why.begin(), why.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  return !why.empty() && why.size() <= kWhyBytesMax && !control;
}

std::string OutcomeOf(const absl::Status& status) {
  if (status.ok()) return "OK";
  const std::string reason = GetErrorDetails(status).reason;
  return reason.empty() ? absl::StatusCodeToString(status.code()) : reason;
}

}  // namespace

absl::Status AuditLog::Run(const OperatorCall& call, absl::FunctionRef<absl::Status()> act) {
  if (!IsReason(call.why)) return error::WhyInvalid();
  const absl::StatusOr<std::int64_t> id = store_.BeginCall(call);
  if (!id.ok()) {
    metrics_.calls_unrecorded.Increment();
    return id.status();
  }
  absl::Status status = act();
  (status.ok() ? metrics_.calls_done : metrics_.calls_refused).Increment();
  // The act is over, so the operator gets its outcome even if the outcome cannot be stored. The
  // stored call then has no outcome.
  if (!store_.EndCall(*id, OutcomeOf(status)).ok()) metrics_.calls_unrecorded.Increment();
  return status;
}

}  // namespace tarot::admin_service
