// Sessions of players: a player signs in as a guest or to an account, gets a signed token, and may
// sign out. The gateway does not store sessions. The ratings service stores the revocations of
// tokens (revocations.h).
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
  TokenInfo token;  // The data of the token with which the player made the call.
};

struct Session {
  SignedInPlayer player;
  std::string token;
};

// The interface that signs and verifies tokens. Thread-safe.
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

  // Creates a player. Returns INVALID_ARGUMENT BAD_REQUEST for a name that ComposeDisplayName()
  // refuses, or that looks like the name of a bot. Returns ALREADY_EXISTS NAME_TAKEN for a name
  // that looks like the name of a ranked player or of an account.
  absl::StatusOr<Session> CreateGuest(absl::string_view display_name);

  // Returns `display_name` in its composed form, as the name for an account of `player`. Returns
  // the errors of CreateGuest(), but none for the present name of the player.
  absl::StatusOr<std::string> AccountName(const SignedInPlayer& player,
                                          absl::string_view display_name);
  // Returns ALREADY_EXISTS NAME_TAKEN, with the suggestion of a free name that begins with `name`.
  absl::Status AccountNameTaken(const std::string& name);

  // Makes a session for the player of an account. Its time of sign-in is later than `after`.
  Session SignIn(PlayerId player, const std::string& display_name, absl::Time after) const;

  // Returns the revocation of all tokens of `player` from sign-ins until now.
  Revocation RevokeAll(PlayerId player) const;

  // Makes a new token for a player whose token is valid. The new token has its own id and the old
  // token's time of sign-in.
  Session Refresh(const SignedInPlayer& player) const;

  // Returns the revocation of the player's token. If `everywhere` is true, or if the token has no
  // id (a token of an older release), returns the revocation of all tokens of the player from
  // sign-ins until now.
  Revocation SignOut(const SignedInPlayer& player, bool everywhere) const;

  // Returns the player of a token. Returns UNAUTHENTICATED BAD_TOKEN for a token that is not valid
  // or is revoked, and PERMISSION_DENIED BANNED for a token of a banned player.
  absl::StatusOr<SignedInPlayer> Check(absl::string_view token) const;

 private:
  // Returns a free name that consists of `name` and a number. Returns an empty text if it finds
  // none.
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
