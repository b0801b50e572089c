// Checks the token of each call, and limits how often each caller may call.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "services/gateway/app/limiters.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/metrics.h"

namespace tarot::gateway_service {

// Thread-safe.
class AuthInterceptor {
 public:
  AuthInterceptor(RateLimit call_limit, RateLimit sign_in_limit, RateLimit sign_out_limit,
                  const Sessions& sessions, Clock& clock, Metrics& metrics);

  // Returns the player whose token is in the metadata `authorization: Bearer {token}`. Counts the
  // call as `cost` calls. Returns UNAUTHENTICATED BAD_TOKEN if there is no valid token, and
  // RESOURCE_EXHAUSTED RATE_LIMITED if the player calls too often.
  absl::StatusOr<SignedInPlayer> Admit(const grpc::CallbackServerContext& context, int cost = 1);

  // Limits how often guests sign in from one address, because a new guest has no token. Returns
  // RESOURCE_EXHAUSTED RATE_LIMITED above the limit.
  absl::Status AdmitSignIn(const grpc::CallbackServerContext& context);

  // Limits how often players sign out from one address, because each sign-out is stored. Returns
  // RESOURCE_EXHAUSTED RATE_LIMITED above the limit.
  absl::Status AdmitSignOut(const grpc::CallbackServerContext& context);

 private:
  absl::StatusOr<SignedInPlayer> CheckToken(const grpc::CallbackServerContext& context) const;

  const Sessions& sessions_;
  Metrics& metrics_;
  RateLimiter calls_;
  RateLimiter sign_ins_;
  RateLimiter sign_outs_;
};

}  // namespace tarot::gateway_service
