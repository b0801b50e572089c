// Defines the AccountStore in memory, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libs/testkit/fake_statements.h"
#include "services/ratings/app/account_store.h"

namespace tarot::ratings_service {

struct FakeAccounts {
  std::map<PlayerId, Account> accounts;
  std::map<std::string, PlayerId> name_keys;
  std::map<Uuid, Revocation> revocations;  // By subject.
};

class FakeAccountStore final : public AccountStore, public testkit::FakeStatements<FakeAccounts> {
 public:
  absl::StatusOr<std::optional<Account>> FindByPlayer(PlayerId player) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<std::optional<Account>> {
      const auto found = data.accounts.find(player);
      if (found == data.accounts.end()) return std::nullopt;
      return found->second;
    });
  }

  absl::StatusOr<std::optional<Account>> FindByLogin(const std::string& login_key) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<std::optional<Account>> {
      for (const auto& [player, account] : data.accounts) {
        if (account.login_key == login_key) return account;
      }
      return std::nullopt;
    });
  }

  absl::StatusOr<AddAccountOutcome> Add(const Account& account,
                                        const std::string& look_key) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<AddAccountOutcome> {
      if (data.accounts.contains(account.player)) return AddAccountOutcome::kPlayerHasAccount;
      for (const std::string& key : {account.login_key, look_key}) {
        if (data.name_keys.contains(key)) return AddAccountOutcome::kNameTaken;
      }
      data.accounts[account.player] = account;
      data.name_keys[account.login_key] = data.name_keys[look_key] = account.player;
      return AddAccountOutcome::kAdded;
    });
  }

  absl::StatusOr<bool> ReplaceRecoveryCode(PlayerId player, const std::string& old_hash,
                                           const std::string& new_hash) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<bool> {
      const auto found = data.accounts.find(player);
      if (found == data.accounts.end() || found->second.recovery_hash != old_hash) return false;
      found->second.recovery_hash = new_hash;
      return true;
    });
  }

  absl::StatusOr<RecoverOutcome> Recover(const Account& changed, const std::string& old_hash,
                                         const Revocation& revocation, int limit) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<RecoverOutcome> {
      const auto found = data.accounts.find(changed.player);
      if (found == data.accounts.end() || found->second.recovery_hash != old_hash) {
        return RecoverOutcome::kCodeUsed;
      }
      if (static_cast<int>(data.revocations.size()) >= limit) {
        return RecoverOutcome::kRevocationsFull;
      }
      found->second = changed;
      data.revocations[revocation.subject] = revocation;
      return RecoverOutcome::kDone;
    });
  }

  absl::StatusOr<std::vector<AccountName>> ListNames(PlayerId after, int limit) override {
    return Run([=](FakeAccounts& data) -> absl::StatusOr<std::vector<AccountName>> {
      std::vector<AccountName> names;
      for (auto each = data.accounts.upper_bound(after);
           each != data.accounts.end() && static_cast<int>(names.size()) < limit; ++each) {
        names.push_back({.player = each->first, .display_name = each->second.display_name});
      }
      return names;
    });
  }

  // Returns the revocation of all tokens of `player`, if there is one.
  std::optional<Revocation> RevocationOf(PlayerId player) {
    return RunNow([&](FakeAccounts& data) -> std::optional<Revocation> {
      const auto found = data.revocations.find(player.uuid);
      if (found == data.revocations.end()) return std::nullopt;
      return found->second;
    });
  }
};

}  // namespace tarot::ratings_service
