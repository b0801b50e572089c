// Signed tokens that identify a caller. The gateway signs players' tokens with its own key ring.
// Services identify themselves to each other with the internal key ring, and accept no other.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/caller.h"
#include "libs/base/clock.h"

namespace tarot::rpc {

using tarot::Caller;

// Keys by id. The first key signs, and all keys verify: put a new key first, and remove the old one
// when its last token has expired. File: lines of `kid:base64(32 bytes or more)`, mode 0600.
class KeyRing {
 public:
  struct Key {
    std::string id;
    std::string secret;
  };

  static absl::StatusOr<KeyRing> FromFile(const std::string& path);
  explicit KeyRing(const std::vector<Key>& keys);

  // kid.payload.mac, HMAC-SHA256, base64url.
  std::string Sign(const Caller& caller, absl::Time expire_time) const;

  // UNAUTHENTICATED BAD_TOKEN (metadata: why): malformed, forged, of an unknown key, or expired.
  absl::StatusOr<Caller> Verify(absl::string_view token, absl::Time now) const;

 private:
  class Mac;
  struct Ready {
    std::string id;
    std::shared_ptr<const Mac> mac;
  };
  std::vector<Ready> keys_;
};

// Metadata key under which the internal token travels between services.
inline constexpr char kCallerMetadata[] = "x-tarot-caller";

// The callers that a method accepts.
enum class Access {
  kAnybody,  // Every caller, also without a token: stateless helpers such as the referee.
  kPlayer,   // A player, through the gateway.
  kService,  // Another service.
};

// Reads and checks the internal token of a call.
class Authenticator {
 public:
  Authenticator(KeyRing keys, Clock& clock) : keys_(std::move(keys)), clock_(clock) {}

  // UNAUTHENTICATED BAD_TOKEN; PERMISSION_DENIED NOT_A_SERVICE or NOT_A_PLAYER.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;

  // Adds this process's own identity (or, in the gateway, the player's) to an outgoing call.
  void Sign(grpc::ClientContext& context, const Caller& caller) const;

 private:
  KeyRing keys_;
  Clock& clock_;
};

}  // namespace tarot::rpc
