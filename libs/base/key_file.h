// Reads files with secret keys. Services share this form for the keys of tokens and of stored
// secrets.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tarot {

struct SecretKey {
  std::string id;      // Not empty, without dots, at most 255 bytes.
  std::string secret;  // At least 32 bytes.
};

// Returns the keys of the file `path`, at least one, in their order. The lines of the file are
// `kid:base64`; `kid` is the id. Returns FAILED_PRECONDITION BAD_KEY_FILE if the file cannot be
// read, if a line is wrong, if an id comes twice, or if users other than owner and group may open
// the file.
absl::StatusOr<std::vector<SecretKey>> ReadKeyFile(const std::string& path);

}  // namespace tarot
