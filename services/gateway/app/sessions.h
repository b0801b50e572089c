// Accounts of guests: a guest signs in and gets a signed token. The gateway stores nothing.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/ids.h"

namespace tarot::gateway_service {

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

// INVALID_ARGUMENT BAD_REQUEST unless `name` is 1 to 32 printable characters of UTF-8, without a
// space at either end and without two spaces in a row. Every client can show such a name, and it
// contains no characters that deceive the eye.
absl::Status CheckDisplayName(absl::string_view name);

// Thread-safe if its dependencies are.
class Sessions {
 public:
  Sessions(absl::Duration token_life, const TokenSigner& signer, Clock& clock, Entropy& entropy)
      : token_life_(token_life), signer_(signer), clock_(clock), entropy_(entropy) {}

  // Creates a player. INVALID_ARGUMENT BAD_REQUEST: see CheckDisplayName.
  absl::StatusOr<Session> CreateGuest(absl::string_view display_name);

  // Makes a new token for a player whose token was good.
  Session Refresh(const Player& player) const;

  // UNAUTHENTICATED BAD_TOKEN.
  absl::StatusOr<Player> Check(absl::string_view token) const;

 private:
  const absl::Duration token_life_;
  const TokenSigner& signer_;
  Clock& clock_;
  Entropy& entropy_;
};

}  // namespace tarot::gateway_service
