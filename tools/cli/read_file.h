// Reads a whole file.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tarot::cli {

// Returns the bytes of the file. The error's text is "cannot be read: " and the reason. Its code is
// NOT_FOUND when there is no such file, and another one for a directory or a file without
// permission.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace tarot::cli
