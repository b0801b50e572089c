// Declares the auth interceptor: it checks the token of each call, and limits how often each caller
// may call.
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

// The limits that options give, and that operators change.
struct CallLimits {
  RateLimit calls;           // The limit of one player.
  RateLimit address_calls;   // The limit of all players of one address together.
  RateLimit sign_ins;        // The limit of one address.
  RateLimit secrets = {};    // The limit of one address.
  RateLimit sign_outs = {};  // The limit of one address.
};

// Limits the calls of one address. All addresses of one IPv6 /48 together have kNetworkFactor times
// this limit. Thread-safe.
class AddressLimiter {
 public:
  AddressLimiter(RateLimit limit, Clock& clock);
  // Counts a call from `address` (AddressKey), as RateLimiter::Take does.
  absl::Status Take(absl::string_view address, int cost = 1);
  void GiveBack(absl::string_view address);
  void SetLimit(RateLimit limit);

 private:
  RateLimiter addresses_;
  RateLimiter networks_;
};

// Thread-safe.
class AuthInterceptor {
 public:
  AuthInterceptor(const CallLimits& limits, const Sessions& sessions, Clock& clock,
                  Metrics& metrics);

  // Sets the first three limits.
  void SetLimits(const CallLimits& limits);

  // Returns the player whose token is in the metadata `authorization: Bearer {token}`. Counts the
  // call as `cost` calls. Returns UNAUTHENTICATED BAD_TOKEN if there is no valid token,
  // PERMISSION_DENIED BANNED if the player is banned, and RESOURCE_EXHAUSTED RATE_LIMITED if the
  // player calls too often. If all players of the caller's address together call too often, the
  // player has a lower limit.
  absl::StatusOr<SignedInPlayer> Admit(const grpc::CallbackServerContext& context, int cost = 1);

  // Limits how many guests one address creates. Returns RESOURCE_EXHAUSTED RATE_LIMITED above the
  // limit.
  absl::Status AdmitSignIn(const grpc::CallbackServerContext& context);

  // Limits the calls with a passphrase or a recovery code from one address, because each of them
  // costs a hash. Returns RESOURCE_EXHAUSTED RATE_LIMITED above the limit.
  absl::Status AdmitSecret(const grpc::CallbackServerContext& context);
  // Limits the guesses of the passphrase for one name, from all addresses together. `login_key` is
  // NameKeys::login of the name. Returns RESOURCE_EXHAUSTED RATE_LIMITED above the limit.
  absl::Status AdmitGuess(absl::string_view login_key);
  // Takes the count of AdmitGuess() back. Call this function if the passphrase was right or was not
  // checked.
  void GiveBackGuess(absl::string_view login_key) { guesses_.GiveBack(login_key); }

  // Limits how often one player signs out, and how often the players of one address sign out,
  // because each sign-out is stored. Returns RESOURCE_EXHAUSTED RATE_LIMITED above a limit.
  absl::Status AdmitSignOut(const grpc::CallbackServerContext& context, PlayerId player);
  // Takes the count of AdmitSignOut() back. Call this function if the sign-out could not be stored.
  void GiveBackSignOut(const grpc::CallbackServerContext& context, PlayerId player);

 private:
  absl::StatusOr<SignedInPlayer> CheckToken(const grpc::CallbackServerContext& context) const;

  const Sessions& sessions_;
  Metrics& metrics_;
  RateLimiter calls_;
  AddressLimiter address_calls_;
  RateLimiter crowded_calls_;  // The lower limit of a player whose address calls too often.
  AddressLimiter sign_ins_;
  AddressLimiter secrets_;
  RateLimiter guesses_;
  AddressLimiter sign_outs_;
  RateLimiter player_sign_outs_;
};

}  // namespace tarot::gateway_service
