// Sessions of guests: a guest signs in, gets a signed token, and may sign out. The gateway does not
// store sessions; only revoked tokens are stored (revocations.h).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"
#include "services/gateway/app/display_name.h"
#include "services/gateway/app/revocations.h"

namespace tarot::gateway_service {

struct SignedInPlayer {
  PlayerId id;
  std::string display_name;
  TokenInfo token;  // The token of the call, without its text.
};

struct Session {
  SignedInPlayer player;
  std::string token;
};

// The port that signs tokens and reads them back. Thread-safe.
class TokenSigner {
 public:
  virtual ~TokenSigner() = default;
  virtual std::string Sign(const SignedInPlayer& player) const = 0;
  // Returns UNAUTHENTICATED BAD_TOKEN for a token that is not valid.
  virtual absl::StatusOr<SignedInPlayer> Verify(absl::string_view token, absl::Time now) const = 0;
};

// Thread-safe if its dependencies are.
class Sessions {
 public:
  Sessions(absl::Duration token_life, const ReservedNames& bot_names,
           const ReservedNames& ranked_names, const Revocations& revocations,
           const TokenSigner& signer, Clock& clock, Entropy& entropy)
      : token_life_(token_life),
        bot_names_(bot_names),
        ranked_names_(ranked_names),
        revocations_(revocations),
        signer_(signer),
        clock_(clock),
        entropy_(entropy) {}

  // Creates a player. Returns INVALID_ARGUMENT BAD_REQUEST for a name that ComposeDisplayName
  // refuses or that looks like a bot's. Returns ALREADY_EXISTS NAME_TAKEN for a name that looks
  // like a ranked player's.
  absl::StatusOr<Session> CreateGuest(absl::string_view display_name);

  // Makes a new token for a player whose token is valid. The new token has an id of its own and the
  // old token's time of sign-in.
  Session Refresh(const SignedInPlayer& player) const;

  // Returns the revocation of the token of `player`. With `everywhere`, or if the token is of an
  // older release and so has no id, returns the revocation of all tokens that the player has now.
  Revocation SignOut(const SignedInPlayer& player, bool everywhere) const;

  // Returns UNAUTHENTICATED BAD_TOKEN for a token that is not valid or that is revoked.
  absl::StatusOr<SignedInPlayer> Check(absl::string_view token) const;

 private:
  // Returns a free name that consists of `name` and a number, or an empty text if there is none.
  std::string Suggest(const std::string& name);

  const absl::Duration token_life_;
  const ReservedNames& bot_names_;
  const ReservedNames& ranked_names_;
  const Revocations& revocations_;
  const TokenSigner& signer_;
  Clock& clock_;
  Entropy& entropy_;
};

}  // namespace tarot::gateway_service
