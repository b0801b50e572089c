// Reads files with secret keys. All services use the same file format, for keys of tokens and for
// keys that encrypt stored secrets.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tarot {

struct SecretKey {
  std::string id;      // The name of the key: 1 to 255 bytes, without dots.
  std::string secret;  // At least 32 bytes.
};

// Returns the keys of the file `path`, at least one, in the order of the file. The lines of the
// file are `kid:base64`; `kid` is the id. Returns FAILED_PRECONDITION BAD_KEY_FILE if the file
// cannot be read or has no key, if a line is wrong, or if an id appears twice. Returns the same
// error if users other than the owner and the group may use the file.
absl::StatusOr<std::vector<SecretKey>> ReadKeyFile(const std::string& path);

}  // namespace tarot
