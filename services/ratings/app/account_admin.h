// AccountAdmin does the work of AccountAdminService: players' accounts, with their passphrases and
// recovery codes. No log, metric or error contains a passphrase or a code.
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
  // The last of them expires at `expire_time`.
  absl::Time latest_sign_in_time;
  absl::Time expire_time;
};

// An account with its new recovery code.
struct AccountWithCode {
  Account account;
  std::string recovery_code;
};

struct AccountNamePage {
  std::vector<std::string> names;
  std::string next_page_token;  // Empty on the last page.
};

// Thread-safe. For a name without an account, Check() and Recover() also compute one hash of a
// passphrase. So the time of the answer does not tell whether a name has an account. Every method
// may return INVALID_ARGUMENT BAD_REQUEST for a bad argument (also for an empty or a long text),
// and UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW. Methods that replace a recovery code return
// UNAVAILABLE OVERLOADED if another call replaces the code at the same time.
class AccountAdmin {
 public:
  // Takes as long as one hash with `cost`. The referenced objects must outlive this one.
  AccountAdmin(AccountStore& store, const HashCost& cost, Clock& clock, Entropy& entropy);

  absl::StatusOr<std::optional<Account>> Get(PlayerId player);

  // Adds an account. If the player already has an account with this login key and passphrase,
  // replaces its recovery code. Returns ALREADY_EXISTS NAME_TAKEN if another account has one of the
  // keys. Returns ALREADY_EXISTS ACCOUNT_EXISTS if the player has an account with another name or
  // passphrase.
  absl::StatusOr<AccountWithCode> Create(const NewAccount& account);

  // Returns the account of the login key. Returns UNAUTHENTICATED BAD_CREDENTIALS if there is none,
  // or if it has another passphrase.
  absl::StatusOr<Account> Check(const std::string& login_key, const std::string& passphrase);

  // Sets a new passphrase and a new recovery code, and revokes the player's tokens. If the
  // account's last recovery had the same request id and new passphrase, only replaces the recovery
  // code. Returns UNAUTHENTICATED BAD_CREDENTIALS if there is no account, if it has another
  // recovery code, or if its last recovery had the same request id and another new passphrase.
  // Returns UNAVAILABLE OVERLOADED and changes nothing if the store of revocations is full.
  absl::StatusOr<AccountWithCode> Recover(const Recovery& recovery);

  // Lists the names of all accounts. `page_size` 0 means the maximum.
  absl::StatusOr<AccountNamePage> ListNames(int page_size, const std::string& page_token);

 private:
  absl::StatusOr<AccountWithCode> ReplaceCode(Account account);

  AccountStore& store_;
  const HashCost cost_;
  Clock& clock_;
  Entropy& entropy_;
  // A hash with `cost_`. Check() compares the passphrase with it if the name has no account.
  const std::string other_hash_;
};

}  // namespace tarot::ratings_service
