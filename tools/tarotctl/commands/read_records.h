// The records of a file.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/notation/record.h"
#include "tools/tarotctl/cli/context.h"

namespace tarot::tarotctl {

// TDN, JSON or an archive. Errors as ReadFile() and ParseRecords().
absl::StatusOr<std::vector<notation::Document>> ReadRecords(const std::string& path);

// Tells what is wrong with the file (or with the record of that name), and answers the exit code.
ExitCode FailFile(Context& context, const std::string& name, const absl::Status& status);

}  // namespace tarot::tarotctl
