#include "tools/cli/exit_code.h"

namespace tarot::cli {

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

}  // namespace tarot::cli
