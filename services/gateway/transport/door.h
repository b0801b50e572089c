// Who may come in: reads the token of a call, and holds each caller to its rate.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "services/gateway/app/rate_limiter.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/metrics.h"

namespace tarot::gateway {

// Thread-safe.
class Door {
 public:
  Door(RateLimit call_limit, RateLimit sign_in_limit, const Sessions& sessions, Clock& clock,
       Metrics& metrics);

  // By the metadata `authorization: Bearer {token}`.
  // UNAUTHENTICATED BAD_TOKEN; RESOURCE_EXHAUSTED RATE_LIMITED.
  absl::StatusOr<Player> Admit(const grpc::CallbackServerContext& context);

  // By address, since a newcomer has no token. RESOURCE_EXHAUSTED RATE_LIMITED.
  absl::Status AdmitSignIn(const grpc::CallbackServerContext& context);

 private:
  absl::StatusOr<Player> CheckToken(const grpc::CallbackServerContext& context) const;

  const Sessions& sessions_;
  Metrics& metrics_;
  RateLimiter calls_;
  RateLimiter sign_ins_;
};

// What counts as one address in a peer such as "ipv4:192.0.2.7:4711": all its ports, and for IPv6
// all of the /64, which is what one household or one machine gets.
std::string AddressOf(absl::string_view peer);

}  // namespace tarot::gateway
