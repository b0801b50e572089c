// The records of a file.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/notation/record.h"

namespace tarot::tarotctl {

// TDN, JSON or an archive. NOT_FOUND when the file cannot be read; errors as ParseRecords().
absl::StatusOr<std::vector<notation::Document>> ReadRecords(const std::string& path);

}  // namespace tarot::tarotctl
