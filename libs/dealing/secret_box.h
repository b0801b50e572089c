// Encrypts secrets before they are stored, for example the seed of a running deal. The key is not
// in the database, so a copy of the database alone shows no hidden card.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/key_file.h"

namespace tarot::dealing {

// A list of keys for AES-256-GCM. The first key encrypts, and each key of the list can decrypt. To
// change the key, put a new key before the others. Thread-safe.
class SecretBox {
 public:
  using Nonce = std::array<std::uint8_t, 12>;

  // `keys` must not be empty.
  explicit SecretBox(const std::vector<SecretKey>& keys);

  // Encrypts `secret`. `place` says where the result will be stored, and Open() refuses the result
  // for any other place. `nonce` must be random and new. The result is the number 1 (one byte), the
  // length of the key's id (one byte), the id, the nonce, the tag (16 bytes) and the encrypted
  // secret.
  std::string Seal(absl::string_view secret, absl::string_view place, const Nonce& nonce) const;

  // Decrypts a result of Seal(). Returns INTERNAL SECRET_UNREADABLE (metadata: `key`, `why`) in two
  // cases. In the first case, no key of this list has the id in the result. In the second case, the
  // key, the place or a byte of the result is wrong.
  absl::StatusOr<std::string> Open(absl::string_view sealed, absl::string_view place) const;

 private:
  struct Ready {
    std::string id;
    std::array<std::uint8_t, 32> key;
  };
  std::vector<Ready> keys_;
};

}  // namespace tarot::dealing
