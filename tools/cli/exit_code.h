// Exit codes of the programs for a terminal.
#pragma once

#include "absl/status/status.h"

namespace tarot::cli {

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kUnreachable = 3,
  kNotSignedIn = 4,
  kNotFound = 5,
  kInterrupted = 130,
};

ExitCode ExitCodeFor(const absl::Status& status);

}  // namespace tarot::cli
