// Exit codes, and errors as people need them: what failed, why, and what to do.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace tarot::tarotctl {

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

// "cannot list the tables: …" and what to do, on up to two lines. `what` completes "cannot".
std::string ErrorText(const std::string& what, const absl::Status& status,
                      const std::string& gateway);

}  // namespace tarot::tarotctl
