// Signed tokens that identify a caller. The gateway signs the tokens of players with its own key
// ring. Calls between services carry tokens that are signed with the internal key ring. Each key
// ring accepts only its own tokens.
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
  // Every caller. A call without a token is accepted, but a bad token is refused.
  kEveryCaller,
  kPlayer,   // A caller whose token names a player.
  kService,  // A caller whose token names a service.
};

// Checks the internal tokens of incoming calls, and signs outgoing calls. Thread-safe.
class Authenticator {
 public:
  Authenticator(KeyRing keys, Clock& clock);
  // An object from this constructor also counts and logs the tokens that Authenticate refuses: for
  // each reason, at most one line in ten seconds, with the caller's address. A refused token means
  // that the keys or the clocks of two services differ, or that the caller does not have the keys.
  Authenticator(KeyRing keys, Clock& clock, prometheus::Registry& registry);
  ~Authenticator();

  // Returns the caller. Returns UNAUTHENTICATED BAD_TOKEN for a bad token, and PERMISSION_DENIED
  // NOT_A_SERVICE or NOT_A_PLAYER for the wrong kind of caller. If there is no token, returns an
  // empty Caller if `access` is kEveryCaller, and BAD_TOKEN for any other `access`.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      Access access) const;

  // Adds a token for `caller` to an outgoing call. `caller` is this service, or the player whose
  // call this service answers.
  void Sign(grpc::ClientContext& context, const Caller& caller) const;

 private:
  class Refusals;

  const KeyRing keys_;
  Clock& clock_;
  // Counts and logs refused tokens. Null if the constructor got no registry.
  const std::unique_ptr<Refusals> refusals_;
};

}  // namespace tarot::rpc
