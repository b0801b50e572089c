// The interface to the stored accounts of players.
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
  std::string login_key;  // The same for a name in upper and in lower case.
  std::string passphrase_hash;
  std::string recovery_hash;
  RequestId recovery_request;  // The request id of the last Recover; empty if there was none.
  absl::Time create_time;
};

enum class AddAccountOutcome {
  kAdded,
  kNameTaken,  // An account of another player has one of the keys.
  kPlayerHasAccount,
};

enum class RecoverOutcome {
  kDone,
  kCodeUsed,  // The account has another recovery code by now.
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

  // Adds an account. `look_key` is the second key of its name.
  virtual absl::StatusOr<AddAccountOutcome> Add(const Account& account,
                                                const std::string& look_key) = 0;

  // Replaces the recovery code if it still has the hash `old_hash`. Returns whether it had.
  virtual absl::StatusOr<bool> ReplaceRecoveryCode(PlayerId player, const std::string& old_hash,
                                                   const std::string& new_hash) = 0;

  // Stores the passphrase, the recovery code and the request of `changed`, and stores `revocation`
  // as RatingStore::Revoke does with `limit`, in one transaction. Changes nothing unless the
  // recovery code still has the hash `old_hash`.
  virtual absl::StatusOr<RecoverOutcome> Recover(const Account& changed,
                                                 const std::string& old_hash,
                                                 const Revocation& revocation, int limit) = 0;

  // Returns at most `limit` names, sorted by player, after the player `after`.
  virtual absl::StatusOr<std::vector<AccountName>> ListNames(PlayerId after, int limit) = 0;
};

}  // namespace tarot::ratings_service
