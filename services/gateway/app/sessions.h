// Sessions of guests: a guest signs in and gets a signed token. The gateway does not store
// sessions.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"
#include "services/gateway/app/display_name.h"

namespace tarot::gateway_service {

struct SignedInPlayer {
  PlayerId id;
  std::string display_name;
};

struct Session {
  SignedInPlayer player;
  std::string token;
  absl::Time expire_time;
};

// The port that signs tokens and reads them back. Thread-safe.
class TokenSigner {
 public:
  virtual ~TokenSigner() = default;
  virtual std::string Sign(const SignedInPlayer& player, absl::Time expire_time) const = 0;
  // Returns UNAUTHENTICATED BAD_TOKEN for a token that is not valid.
  virtual absl::StatusOr<SignedInPlayer> Verify(absl::string_view token, absl::Time now) const = 0;
};

// Thread-safe if its dependencies are.
class Sessions {
 public:
  Sessions(absl::Duration token_life, const ReservedNames& reserved, const TokenSigner& signer,
           Clock& clock, Entropy& entropy)
      : token_life_(token_life),
        reserved_(reserved),
        signer_(signer),
        clock_(clock),
        entropy_(entropy) {}

  // Creates a player. Returns INVALID_ARGUMENT BAD_REQUEST for a name that ComposeDisplayName
  // refuses or that looks like a reserved one.
  absl::StatusOr<Session> CreateGuest(absl::string_view display_name);

  // Makes a new token for a player whose token is valid.
  Session Refresh(const SignedInPlayer& player) const;

  // Returns UNAUTHENTICATED BAD_TOKEN for a token that is not valid.
  absl::StatusOr<SignedInPlayer> Check(absl::string_view token) const;

 private:
  const absl::Duration token_life_;
  const ReservedNames& reserved_;
  const TokenSigner& signer_;
  Clock& clock_;
  Entropy& entropy_;
};

}  // namespace tarot::gateway_service
