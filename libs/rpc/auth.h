// Checks who makes a call, and whether that service or player may make it. Each call between
// services carries a signed token (service_keys.h). With TLS, the certificate of the calling
// process is checked too (tls.h). The gateway signs the tokens of players with a key ring of its
// own.
#pragma once

#include <grpcpp/grpcpp.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rpc/key_ring.h"
#include "libs/rpc/service_keys.h"

namespace tarot::rpc {

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
  Authenticator(std::shared_ptr<ServiceKeys> keys, Clock& clock);
  // An object from this constructor also counts and logs the tokens that Authenticate refuses: for
  // each reason, at most one line in ten seconds, with the caller's address. A refused token means
  // that the keys or the clocks of two services differ, or that the caller does not have the keys.
  // In the same way, the object counts and logs calls that the calling service may not make.
  Authenticator(KeyRing keys, Clock& clock, prometheus::Registry& registry);
  Authenticator(std::shared_ptr<ServiceKeys> keys, Clock& clock, prometheus::Registry& registry);
  ~Authenticator();

  // Returns the caller of `method`, for example "tarot.rules.v1.TableService/GetTable". Returns
  // UNAUTHENTICATED BAD_TOKEN for a bad token, and PERMISSION_DENIED NOT_A_SERVICE or NOT_A_PLAYER
  // for the wrong kind of caller. If there is no token, returns an empty Caller if `access` is
  // kEveryCaller, and BAD_TOKEN for any other `access`.
  //
  // Returns PERMISSION_DENIED SERVICE_NOT_ALLOWED in three cases:
  // - The calling service may not call `method` (permissions.h).
  // - The token names a caller for whom the signing service may not sign. The gateway may sign for
  //   players. Every service may sign for itself. If a replica calls another replica of its own
  //   service, it may sign for every caller.
  // - The certificate of the calling process names another service.
  absl::StatusOr<Caller> Authenticate(const grpc::CallbackServerContext& context,
                                      const std::string& method, Access access) const;

  // Adds a token for `caller` to an outgoing call. `caller` is this service, or the player whose
  // call this service answers.
  void Sign(grpc::ClientContext& context, const Caller& caller) const;

 private:
  class Refusals;

  absl::StatusOr<Caller> Check(const grpc::CallbackServerContext& context,
                               const std::string& method, Access access, absl::Time now) const;

  const std::shared_ptr<ServiceKeys> keys_;
  Clock& clock_;
  // Counts and logs refused tokens. Null if the constructor got no registry.
  const std::unique_ptr<Refusals> refusals_;
};

}  // namespace tarot::rpc
