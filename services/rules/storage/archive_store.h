// Declares the place where the archive keeps its files. A file is written once and never changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::rules_service {

// Thread-safe. The names of files may have only lower-case letters, digits, dots and dashes.
class ArchiveStore {
 public:
  virtual ~ArchiveStore() = default;

  // Stores a file. If a file of this name exists, replaces it. After OK, the file survives a loss
  // of power. If a call fails or is interrupted, no part of the file is visible under its name. The
  // error is UNAVAILABLE ARCHIVE_AWAY.
  virtual absl::Status Write(const std::string& name, absl::string_view bytes) = 0;

  // Reads `size` bytes from `offset`. If the file cannot be read, returns UNAVAILABLE ARCHIVE_AWAY.
  // If the file is too short, returns DATA_LOSS ARCHIVE_DAMAGED.
  virtual absl::StatusOr<std::string> Read(const std::string& name, std::int64_t offset,
                                           std::int64_t size) = 0;
};

// Returns a store that keeps the files in a directory. The directory must exist, and all replicas
// must use the same directory.
std::unique_ptr<ArchiveStore> MakeDirectoryArchiveStore(std::string directory);

}  // namespace tarot::rules_service
