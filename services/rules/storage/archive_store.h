// The place where the archive keeps its files. A file is written once and never changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::rules_service {

// Thread-safe. The names have lower-case letters, digits, dots and dashes only.
class ArchiveStore {
 public:
  virtual ~ArchiveStore() = default;

  // Stores a file. After OK the file survives a loss of power. If there is a file of this name, it
  // is replaced. A call that fails or is interrupted leaves no part of the file under its name.
  // Returns UNAVAILABLE ARCHIVE_AWAY.
  virtual absl::Status Write(const std::string& name, absl::string_view bytes) = 0;

  // Reads `size` bytes from `offset`. Returns UNAVAILABLE ARCHIVE_AWAY if the file cannot be read,
  // and DATA_LOSS ARCHIVE_DAMAGED if it is shorter.
  virtual absl::StatusOr<std::string> Read(const std::string& name, std::int64_t offset,
                                           std::int64_t size) = 0;
};

// Keeps the files in a directory, which must exist. All replicas need the same directory.
std::unique_ptr<ArchiveStore> MakeDirectoryArchiveStore(std::string directory);

}  // namespace tarot::rules_service
