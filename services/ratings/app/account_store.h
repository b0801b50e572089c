// Declares the interface to the stored accounts of players.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// An account: a name and a passphrase with which a player can sign in.
struct Account {
  PlayerId player;
  std::string display_name;
  // The key is the same if the name is written in upper case or in lower case.
  std::string login_key;
  std::string passphrase_hash;
  std::string recovery_hash;
  // The request id of the last RecoverAccount. It is empty if there was none.
  RequestId recovery_request;
  absl::Time create_time;
};

enum class AddAccountOutcome {
  kAdded,
  kNameTaken,  // The login key or the look key is already a key of another player's account.
  kPlayerHasAccount,
};

enum class RecoverOutcome {
  kDone,
  kCodeUsed,  // There is no account, or the account has another recovery code.
  kRevocationsFull,
};

struct AccountName {
  PlayerId player;
  std::string display_name;
};

// Thread-safe. Every method may return UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW.
class AccountStore {
 public:
  virtual ~AccountStore() = default;

  virtual absl::StatusOr<std::optional<Account>> FindByPlayer(PlayerId player) = 0;
  virtual absl::StatusOr<std::optional<Account>> FindByLogin(const std::string& login_key) = 0;

  // Adds an account. The two keys of its name are `account.login_key` and `look_key`. Two accounts
  // never have a key in common.
  virtual absl::StatusOr<AddAccountOutcome> Add(const Account& account,
                                                const std::string& look_key) = 0;

  // If the recovery code of the player's account has the hash `old_hash`, replaces the code and
  // returns true. If not, returns false.
  virtual absl::StatusOr<bool> ReplaceRecoveryCode(PlayerId player, const std::string& old_hash,
                                                   const std::string& new_hash) = 0;

  // In one transaction, stores the passphrase, the recovery code and the request id of `changed`,
  // and stores `revocation` as RatingStore::Revoke() does. If the hash of the recovery code is not
  // `old_hash`, changes nothing.
  virtual absl::StatusOr<RecoverOutcome> Recover(const Account& changed,
                                                 const std::string& old_hash,
                                                 const Revocation& revocation, int limit) = 0;

  // Returns at most `limit` names, sorted by player id. Begins after the player `after`.
  virtual absl::StatusOr<std::vector<AccountName>> ListNames(PlayerId after, int limit) = 0;
};

}  // namespace tarot::ratings_service
