// Reads a whole file that somebody named.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tarot::cli {

// Its bytes, or "cannot be read: " and why: NOT_FOUND when there is none, another code for a
// directory or one that may not be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace tarot::cli
