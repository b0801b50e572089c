// Signed tokens that identify a caller. Players have tokens that the gateway has signed with its
// own key ring. Calls between services carry tokens that are signed with the internal key ring. A
// service accepts no token of another key ring.
#pragma once

#include <grpcpp/grpcpp.h>
#include <prometheus/registry.h>

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

// The metadata key of the internal token, which each call between services carries.
inline constexpr char kCallerMetadata[] = "x-tarot-caller";

// The callers that a method accepts.
enum class Access {
  // Every caller, also without a token. Methods for public data and methods without state use it.
  kEveryCaller,
  kPlayer,   // A player, for whom the gateway has signed the token.
  kService,  // A service.
};

// Checks the internal tokens of incoming calls, and signs outgoing calls. Thread-safe.
class Authenticator {
 public:
  Authenticator(KeyRing keys, Clock& clock);
  // Also counts the tokens that Authenticate refuses, and logs them: for each reason at most one
  // line in ten seconds, with the caller's address. A refused token means that the keys or the
  // clocks of two services differ, or that a stranger calls.
  Authenticator(KeyRing keys, Clock& clock, prometheus::Registry& registry);
  ~Authenticator();

  // Returns the caller. Returns UNAUTHENTICATED BAD_TOKEN for a bad token, and PERMISSION_DENIED
  // NOT_A_SERVICE or NOT_A_PLAYER for the wrong kind of caller. If there is no token, returns an
  // empty Caller for kEveryCaller and BAD_TOKEN for the others.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;

  // Adds a token of `caller` to an outgoing call. `caller` is this service. In the gateway, it may
  // also be a player.
  void Sign(grpc::ClientContext& context, const Caller& caller) const;

 private:
  class Refusals;

  const KeyRing keys_;
  Clock& clock_;
  const std::unique_ptr<Refusals> refusals_;  // Null if refusals are not counted.
};

}  // namespace tarot::rpc
