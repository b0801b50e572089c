// Signs tokens with secret keys, and checks them with the same keys (HMAC-SHA256).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::rpc {

using tarot::Caller;

// A list of keys, each with an id. The first key signs, and all keys verify. To change keys, put a
// new key first, and remove the old key when its last token has expired. Only owner and group may
// open a key file. Its lines are `kid:base64(32 bytes or more)`; `kid` is an id without dots.
class KeyRing {
 public:
  struct Key {
    std::string id;
    std::string secret;
  };

  static absl::StatusOr<KeyRing> FromFile(const std::string& path);
  explicit KeyRing(const std::vector<Key>& keys);

  // Returns a token of the form kid.payload.mac, in base64url. The mac is HMAC-SHA256.
  std::string Sign(const Caller& caller, absl::Time expire_time) const;

  // Returns UNAUTHENTICATED BAD_TOKEN if the token is malformed, forged or expired, or if its key
  // is unknown. The metadata `why` says which of these it is.
  absl::StatusOr<Caller> Verify(absl::string_view token, absl::Time now) const;

 private:
  class Mac;
  struct Ready {
    std::string id;
    std::shared_ptr<const Mac> mac;
  };
  std::vector<Ready> keys_;
};

}  // namespace tarot::rpc
