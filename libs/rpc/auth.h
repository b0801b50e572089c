// Signed tokens that identify a caller. The gateway signs players' tokens with a key ring of its
// own. Services identify themselves to each other with the internal key ring. They accept no token
// of another ring.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"

namespace tarot::rpc {

using tarot::Caller;

// A ring of keys. Each key has an id. The first key signs, and all keys verify. To change keys, put
// a new key first, and remove the old one when its last token has expired. A key file has lines of
// `kid:base64(32 bytes or more)` and mode 0600.
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

  // Returns UNAUTHENTICATED BAD_TOKEN if the token is malformed, forged, of an unknown key, or
  // expired. The metadata `why` says which.
  absl::StatusOr<Caller> Verify(absl::string_view token, absl::Time now) const;

 private:
  class Mac;
  struct Ready {
    std::string id;
    std::shared_ptr<const Mac> mac;
  };
  std::vector<Ready> keys_;
};

// The metadata key under which the internal token travels between services.
inline constexpr char kCallerMetadata[] = "x-tarot-caller";

// The callers that a method accepts.
enum class Access {
  // Every caller, also without a token. Stateless helpers such as the referee accept everyone.
  kEveryCaller,
  kPlayer,   // A player, whose calls come through the gateway.
  kService,  // Another service.
};

// Reads and checks the internal token of a call.
class Authenticator {
 public:
  Authenticator(KeyRing keys, Clock& clock) : keys_(std::move(keys)), clock_(clock) {}

  // Returns UNAUTHENTICATED BAD_TOKEN for a bad token, and PERMISSION_DENIED NOT_A_SERVICE or
  // NOT_A_PLAYER for the wrong kind of caller.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;

  // Adds a token for `caller` to an outgoing call. `caller` is this service or, in the gateway, a
  // player.
  void Sign(grpc::ClientContext& context, const Caller& caller) const;

 private:
  KeyRing keys_;
  Clock& clock_;
};

}  // namespace tarot::rpc
