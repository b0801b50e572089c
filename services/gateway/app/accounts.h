// Declares the interface to the store of accounts. A player with an account can sign in again with
// a name and a passphrase. The ratings service stores the accounts; a gateway stores none.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "services/gateway/app/display_name.h"

namespace tarot::gateway_service {

struct AccountInfo {
  std::string display_name;
  absl::Time create_time;
};

// The player of an account. The store gives this value only after a right passphrase, after a right
// recovery code, or after the store has created the account.
struct AccountPlayer {
  PlayerId id;
  std::string display_name;
  std::string recovery_code;  // The new code that Create() or Recover() made; empty after Check().
};

// The data of a call of Recover(), which sets a new passphrase and revokes the player's tokens.
struct AccountRecovery {
  std::string login_key;
  std::string recovery_code;
  std::string new_passphrase;
  std::string request_id;
  // The call revokes the player's tokens from sign-ins up to `latest_sign_in_time`. The last of
  // these tokens expires at `expire_time`.
  absl::Time latest_sign_in_time;
  absl::Time expire_time;
};

// The interface to the store that all gateways share. Each method calls `done` once, on any thread.
// Every method may give UNAVAILABLE. Names and passphrases must be in the composed form (NFC).
// Thread-safe.
class AccountStore {
 public:
  using Done = std::function<void(const absl::StatusOr<AccountPlayer>&)>;

  virtual ~AccountStore() = default;
  // Gives the player's account, or nullopt if the player has none.
  virtual void Get(PlayerId player,
                   std::function<void(const absl::StatusOr<std::optional<AccountInfo>>&)> done) = 0;
  // Gives ALREADY_EXISTS NAME_TAKEN or ACCOUNT_EXISTS; see SessionService.CreateAccount.
  virtual void Create(PlayerId player, const std::string& display_name, const NameKeys& keys,
                      const std::string& passphrase, Done done) = 0;
  // Gives UNAUTHENTICATED BAD_CREDENTIALS for a wrong name or passphrase.
  virtual void Check(const std::string& login_key, const std::string& passphrase, Done done) = 0;
  // Gives UNAUTHENTICATED BAD_CREDENTIALS for a wrong name or code.
  virtual void Recover(const AccountRecovery& recovery, Done done) = 0;
};

}  // namespace tarot::gateway_service
