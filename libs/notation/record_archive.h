// Many records as one file (".tarotrec").
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::notation {

// An archive is kArchiveMagic, then each record with its length before it.
inline constexpr char kArchiveMagic[] = "tarotrec1\n";

bool IsArchive(absl::string_view bytes);
void AppendToArchive(absl::string_view record, std::string& archive);

// The bytes of each record of an archive; they point into `archive`. BAD_REQUEST when it is none,
// or is cut short.
absl::StatusOr<std::vector<absl::string_view>> SplitArchive(absl::string_view archive);

}  // namespace tarot::notation
