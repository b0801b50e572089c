// Who is who at the door: guests sign in and get a signed token, which is all that is ever stored.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"

namespace tarot::gateway {

struct Player {
  PlayerId id;
  std::string display_name;
};

struct Session {
  Player player;
  std::string token;
  absl::Time expire_time;
};

// Port: signs tokens and reads them back. Thread-safe.
class TokenSigner {
 public:
  virtual ~TokenSigner() = default;
  virtual std::string Sign(const Player& player, absl::Time expire_time) const = 0;
  // UNAUTHENTICATED BAD_TOKEN.
  virtual absl::StatusOr<Player> Verify(absl::string_view token, absl::Time now) const = 0;
};

// Thread-safe as far as its parts are.
class Sessions {
 public:
  Sessions(absl::Duration token_life, const TokenSigner& signer, Clock& clock, Entropy& entropy)
      : token_life_(token_life), signer_(signer), clock_(clock), entropy_(entropy) {}

  // A new player. INVALID_ARGUMENT BAD_REQUEST: see CheckDisplayName.
  absl::StatusOr<Session> CreateGuest(absl::string_view display_name);

  // A new token for a player who showed a good one.
  Session Refresh(const Player& player) const;

  // UNAUTHENTICATED BAD_TOKEN.
  absl::StatusOr<Player> Check(absl::string_view token) const;

 private:
  const absl::Duration token_life_;
  const TokenSigner& signer_;
  Clock& clock_;
  Entropy& entropy_;
};

}  // namespace tarot::gateway
