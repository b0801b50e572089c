// Declares AccountAdmin, which does the work of AccountAdminService. It manages players' accounts,
// with their passphrases and recovery codes. No log, metric or error contains a passphrase or a
// code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/ratings/app/account_store.h"
#include "services/ratings/app/passphrase.h"

namespace tarot::ratings_service {

struct NewAccount {
  PlayerId player;
  std::string display_name;
  std::string login_key;
  std::string look_key;
  std::string passphrase;
};

struct Recovery {
  std::string login_key;
  std::string recovery_code;
  std::string new_passphrase;
  RequestId request;
  // Recover() revokes the player's tokens whose sign-in was at `latest_sign_in_time` or earlier.
  // `expire_time` is the time when the last of these tokens expires.
  absl::Time latest_sign_in_time;
  absl::Time expire_time;
};

// An account, together with its new recovery code.
struct AccountWithCode {
  Account account;
  std::string recovery_code;
};

struct AccountNamePage {
  std::vector<std::string> names;
  std::string next_page_token;  // Empty on the last page.
};

// Thread-safe. If a name has no account, Check() and Recover() also compute one hash of a
// passphrase. So the time of the answer does not show whether a name has an account. Every method
// may return INVALID_ARGUMENT BAD_REQUEST for a bad argument. An empty text and a text that is too
// long are bad arguments. Every method may also return UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW. If
// another call replaces a recovery code at the same time, methods that replace the code return
// UNAVAILABLE OVERLOADED.
class AccountAdmin {
 public:
  // The constructor computes one hash with `cost`, so it takes as long as a hash. The referenced
  // objects must outlive this object.
  AccountAdmin(AccountStore& store, const HashCost& cost, Clock& clock, Entropy& entropy);

  absl::StatusOr<std::optional<Account>> Get(PlayerId player);

  // Adds an account. If the player already has an account with this login key and this passphrase,
  // replaces the recovery code of this account. If the login key or the look key is a key of
  // another player's account, returns ALREADY_EXISTS NAME_TAKEN. If the player has an account with
  // another name or passphrase, returns ALREADY_EXISTS ACCOUNT_EXISTS.
  absl::StatusOr<AccountWithCode> Create(const NewAccount& account);

  // Returns the account of the login key. If there is no account, or if the account has another
  // passphrase, returns UNAUTHENTICATED BAD_CREDENTIALS.
  absl::StatusOr<Account> Check(const std::string& login_key, const std::string& passphrase);

  // Sets a new passphrase and a new recovery code, and revokes the player's tokens. If the last
  // recovery of the account had the same request id and the same new passphrase, this call is a
  // repeat and only replaces the recovery code. Returns UNAUTHENTICATED BAD_CREDENTIALS in these
  // cases:
  // - There is no account.
  // - The account has another recovery code.
  // - The last recovery had the same request id and another new passphrase.
  // If the store of revocations is full, returns UNAVAILABLE OVERLOADED and changes nothing.
  absl::StatusOr<AccountWithCode> Recover(const Recovery& recovery);

  // Lists the names of all accounts. `page_size` 0 means the maximum.
  absl::StatusOr<AccountNamePage> ListNames(int page_size, const std::string& page_token);

 private:
  absl::StatusOr<AccountWithCode> ReplaceCode(Account account);

  AccountStore& store_;
  const HashCost cost_;
  Clock& clock_;
  Entropy& entropy_;
  // A hash with `cost_`. If a name has no account, Check() compares the passphrase with this hash.
  const std::string other_hash_;
};

}  // namespace tarot::ratings_service
