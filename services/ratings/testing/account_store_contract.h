// Defines the contract test of AccountStore. The fake store and the store on Postgres pass the same
// tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "libs/testkit/status_matchers.h"
#include "services/ratings/app/account_store.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {

inline Account TestAccount(int number, const std::string& name) {
  return {.player = TestPlayer(number),
          .display_name = name,
          .login_key = "login " + name,
          .passphrase_hash = "hash of a passphrase",
          .recovery_hash = "hash of a code",
          .create_time = TestTime(number)};
}

// `Factory::Make()` returns an empty store.
template <typename Factory>
class AccountStoreContract : public testing::Test {
 protected:
  AddAccountOutcome Add(int number, const std::string& name, const std::string& look) {
    return store_->Add(TestAccount(number, name), look).value();
  }

  const std::unique_ptr<AccountStore> store_ = Factory::Make();
};
TYPED_TEST_SUITE_P(AccountStoreContract);

TYPED_TEST_P(AccountStoreContract, FindsAnAccountByPlayerAndByLoginKey) {
  EXPECT_FALSE(this->store_->FindByPlayer(TestPlayer(1)).value());
  EXPECT_FALSE(this->store_->FindByLogin("login Marie").value());
  ASSERT_EQ(this->Add(1, "Marie", "look"), AddAccountOutcome::kAdded);
  for (const auto& found : {this->store_->FindByPlayer(TestPlayer(1)).value(),
                            this->store_->FindByLogin("login Marie").value()}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->player, TestPlayer(1));
    EXPECT_EQ(found->display_name, "Marie");
    EXPECT_EQ(found->login_key, "login Marie");
    EXPECT_EQ(found->passphrase_hash, "hash of a passphrase");
    EXPECT_EQ(found->recovery_hash, "hash of a code");
    EXPECT_TRUE(found->recovery_request.empty());
    EXPECT_EQ(found->create_time, TestTime(1));
  }
  EXPECT_FALSE(this->store_->FindByLogin("look").value());
}

TYPED_TEST_P(AccountStoreContract, RefusesNamesWithAKeyOfAnotherAccount) {
  ASSERT_EQ(this->Add(1, "Marie", "look"), AddAccountOutcome::kAdded);
  EXPECT_EQ(this->Add(2, "Marie", "other look"), AddAccountOutcome::kNameTaken);
  EXPECT_EQ(this->Add(2, "Maria", "look"), AddAccountOutcome::kNameTaken);
  EXPECT_EQ(this->Add(2, "Maria", "login Marie"), AddAccountOutcome::kNameTaken);
  EXPECT_EQ(this->Add(1, "Marie", "look"), AddAccountOutcome::kPlayerHasAccount);
  EXPECT_EQ(this->Add(1, "Paul", "Paul's look"), AddAccountOutcome::kPlayerHasAccount);
  EXPECT_FALSE(this->store_->FindByPlayer(TestPlayer(2)).value());
  EXPECT_EQ(this->Add(2, "Paul", "login Paul"), AddAccountOutcome::kAdded)
      << "a refused account leaves no key behind";
}

TYPED_TEST_P(AccountStoreContract, ReplacesARecoveryCodeOnce) {
  ASSERT_EQ(this->Add(1, "Marie", "look"), AddAccountOutcome::kAdded);
  EXPECT_FALSE(this->store_->ReplaceRecoveryCode(TestPlayer(2), "hash of a code", "new").value());
  EXPECT_FALSE(this->store_->ReplaceRecoveryCode(TestPlayer(1), "another hash", "new").value());
  EXPECT_TRUE(this->store_->ReplaceRecoveryCode(TestPlayer(1), "hash of a code", "new").value());
  EXPECT_FALSE(this->store_->ReplaceRecoveryCode(TestPlayer(1), "hash of a code", "x").value());
  EXPECT_EQ(this->store_->FindByPlayer(TestPlayer(1)).value()->recovery_hash, "new");
}

TYPED_TEST_P(AccountStoreContract, RecoversOnlyWithTheNewestCode) {
  ASSERT_EQ(this->Add(1, "Marie", "look"), AddAccountOutcome::kAdded);
  Account changed = TestAccount(1, "Marie");
  changed.passphrase_hash = "new passphrase";
  changed.recovery_hash = "new code";
  changed.recovery_request = {TestUuid(4, 1)};
  const Revocation revocation{.subject = TestPlayer(1).uuid,
                              .latest_sign_in_time = TestTime(5),
                              .expire_time = TestTime(9)};
  EXPECT_EQ(this->store_->Recover(changed, "another hash", revocation, 10).value(),
            RecoverOutcome::kCodeUsed);
  EXPECT_EQ(this->store_->Recover(changed, "hash of a code", revocation, 0).value(),
            RecoverOutcome::kRevocationsFull);
  EXPECT_EQ(this->store_->FindByPlayer(TestPlayer(1)).value()->passphrase_hash,
            "hash of a passphrase");
  EXPECT_EQ(this->store_->Recover(changed, "hash of a code", revocation, 10).value(),
            RecoverOutcome::kDone);
  EXPECT_EQ(this->store_->Recover(changed, "hash of a code", revocation, 10).value(),
            RecoverOutcome::kCodeUsed);
  const Account found = *this->store_->FindByPlayer(TestPlayer(1)).value();
  EXPECT_EQ(found.passphrase_hash, "new passphrase");
  EXPECT_EQ(found.recovery_hash, "new code");
  EXPECT_EQ(found.recovery_request, changed.recovery_request);
}

TYPED_TEST_P(AccountStoreContract, ListsNamesPageByPage) {
  for (int i = 1; i <= 3; ++i) {
    const std::string name = "P" + std::to_string(i);
    ASSERT_EQ(this->Add(i, name, name), AddAccountOutcome::kAdded);
  }
  const auto first = this->store_->ListNames({}, 2).value();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].display_name, "P1");
  const auto second = this->store_->ListNames(first[1].player, 2).value();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].display_name, "P3");
}

REGISTER_TYPED_TEST_SUITE_P(AccountStoreContract, FindsAnAccountByPlayerAndByLoginKey,
                            RefusesNamesWithAKeyOfAnotherAccount, ReplacesARecoveryCodeOnce,
                            RecoversOnlyWithTheNewestCode, ListsNamesPageByPage);

}  // namespace tarot::ratings_service
