#include "tools/tarotctl/cli/exit_code.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

// What the person can do about it; empty when there is nothing better than to read the message.
std::string Advice(const absl::Status& status, const std::string& gateway) {
  const ErrorDetails details = GetErrorDetails(status);
  if (details.reason == "RATE_LIMITED") {
    const auto after = details.metadata.find("retry_after_seconds");
    return absl::StrCat("Wait ", after == details.metadata.end() ? "a few" : after->second,
                        " seconds and try again.");
  }
  if (details.reason == "NOT_RANKED") return "A place takes some ranked matches first.";
  switch (ExitCodeFor(status)) {
    case kUnreachable:
      return absl::StrCat("Nothing useful answers at ", gateway,
                          ". Start the platform with `tools/dev up`, or name its gateway with "
                          "--gateway HOST:PORT or TAROT_GATEWAY.");
    case kNotSignedIn:
      return "Sign in again with `tarotctl play --name NAME`.";
    case kNotFound:
      return "See `tarotctl tables`, `tarotctl ladder` or `tarotctl queues`.";
    default:
      return "";
  }
}

}  // namespace

ExitCode ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kUnauthenticated:
      return kNotSignedIn;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    default:
      return kFailed;
  }
}

std::string ErrorText(const std::string& what, const absl::Status& status,
                      const std::string& gateway) {
  const std::string reason = GetErrorDetails(status).reason;
  const std::string message = Safe({status.message().data(), status.message().size()});
  std::string out =
      absl::StrCat("tarotctl: cannot ", what, ": ",
                   message.empty() ? absl::StatusCodeToString(status.code()) : message,
                   reason.empty() ? "" : absl::StrCat(" (", reason, ")"), "\n");
  const std::string advice = Advice(status, gateway);
  if (!advice.empty()) absl::StrAppend(&out, advice, "\n");
  return out;
}

}  // namespace tarot::tarotctl
