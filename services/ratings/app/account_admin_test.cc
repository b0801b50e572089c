#include "services/ratings/app/account_admin.h"

#include <gtest/gtest.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/limits.h"
#include "services/ratings/testing/account_store_contract.h"
#include "services/ratings/testing/fake_account_store.h"

namespace tarot::ratings_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

constexpr HashCost kCheap{.rounds = 1, .kibibytes = 8};

class AccountAdminTest : public testing::Test {
 protected:
  absl::StatusOr<AccountWithCode> Create(int player, const std::string& name,
                                         const std::string& passphrase) {
    return accounts_.Create({.player = TestPlayer(player),
                             .display_name = name,
                             .login_key = absl::AsciiStrToLower(name),
                             .look_key = absl::StrCat(absl::AsciiStrToLower(name), "'s look"),
                             .passphrase = passphrase});
  }
  absl::StatusOr<AccountWithCode> Recover(const std::string& login, const std::string& code,
                                          const std::string& passphrase, int request = 1) {
    return accounts_.Recover({.login_key = login,
                              .recovery_code = code,
                              .new_passphrase = passphrase,
                              .request = {TestUuid(4, request)},
                              .latest_sign_in_time = time_.Now(),
                              .expire_time = time_.Now() + absl::Hours(1)});
  }

  FakeAccountStore store_;
  testkit::ManualTime time_;
  SeededEntropy entropy_{1};
  AccountAdmin accounts_{store_, kCheap, time_, entropy_};
};

TEST_F(AccountAdminTest, SignsInWithTheRightPassphraseOnly) {
  ASSERT_THAT(Create(1, "Marie", "correct horse battery"), IsOk());
  const auto account = accounts_.Check("marie", "correct horse battery");
  ASSERT_THAT(account, IsOk());
  EXPECT_EQ(account->player, TestPlayer(1));
  EXPECT_EQ(account->display_name, "Marie");
  const absl::Status wrong = accounts_.Check("marie", "correct horse batterie").status();
  const absl::Status unknown = accounts_.Check("paul", "correct horse battery").status();
  EXPECT_THAT(wrong, HasReason("BAD_CREDENTIALS"));
  EXPECT_EQ(wrong, unknown) << "text and details are the same";
}

TEST_F(AccountAdminTest, StoresHashesOnly) {
  const auto made = Create(1, "Marie", "correct horse battery");
  ASSERT_THAT(made, IsOk());
  const Account stored = *store_.FindByPlayer(TestPlayer(1)).value();
  EXPECT_TRUE(absl::StartsWith(stored.passphrase_hash, "$argon2id$v=19$m=8,t=1,p=1$"));
  EXPECT_FALSE(absl::StrContains(stored.passphrase_hash, "correct"));
  EXPECT_EQ(stored.recovery_hash.size(), 64u);
  EXPECT_FALSE(absl::StrContains(stored.recovery_hash, made->recovery_code));
}

TEST_F(AccountAdminTest, RepeatOfCreateReplacesTheCode) {
  const auto first = Create(1, "Marie", "correct horse battery");
  const auto again = Create(1, "Marie", "correct horse battery");
  ASSERT_THAT(again, IsOk());
  EXPECT_NE(first->recovery_code, again->recovery_code);
  EXPECT_THAT(Recover("marie", first->recovery_code, "new passphrase").status(),
              HasReason("BAD_CREDENTIALS"));
  EXPECT_THAT(Recover("marie", again->recovery_code, "new passphrase"), IsOk());
}

TEST_F(AccountAdminTest, RefusesASecondAccountAndTakenNames) {
  ASSERT_THAT(Create(1, "Marie", "correct horse battery"), IsOk());
  const absl::Status other = Create(1, "Marie", "another passphrase").status();
  EXPECT_THAT(other, HasReason("ACCOUNT_EXISTS"));
  EXPECT_EQ(other.message(), "You have an account with another name or another passphrase.");
  EXPECT_THAT(Create(1, "Paul", "correct horse battery").status(), HasReason("ACCOUNT_EXISTS"));
  EXPECT_THAT(Create(2, "MARIE", "correct horse battery").status(), HasReason("NAME_TAKEN"));
  EXPECT_THAT(Create(2, "", "correct horse battery").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Create(2, "Paul", std::string(kAccountTextBytesMax + 1, 'x')).status(),
              HasReason("BAD_REQUEST"));
  EXPECT_FALSE(accounts_.Get(TestPlayer(2)).value());
}

TEST_F(AccountAdminTest, RecoverySetsThePassphraseAndRevokesTheTokens) {
  const auto made = Create(1, "Marie", "correct horse battery");
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Recover("marie", "00000-00000-00000-00000-00000", "a new passphrase").status(),
              HasReason("BAD_CREDENTIALS"));
  EXPECT_FALSE(store_.RevocationOf(TestPlayer(1)));
  // The code of the account, but in lower case, with spaces in place of hyphens, and with the
  // letter o in place of zero.
  const std::string written =
      absl::StrReplaceAll(absl::AsciiStrToLower(made->recovery_code), {{"-", " "}, {"0", "o"}});
  const auto recovered = Recover("marie", written, "a new passphrase");
  ASSERT_THAT(recovered, IsOk());
  EXPECT_NE(recovered->recovery_code, made->recovery_code);
  EXPECT_EQ(store_.RevocationOf(TestPlayer(1))->latest_sign_in_time, time_.Now());
  EXPECT_THAT(accounts_.Check("marie", "a new passphrase"), IsOk());
  EXPECT_THAT(accounts_.Check("marie", "correct horse battery").status(),
              HasReason("BAD_CREDENTIALS"));
  EXPECT_THAT(Recover("marie", made->recovery_code, "a third passphrase", 2).status(),
              HasReason("BAD_CREDENTIALS"))
      << "a code works once";
}

TEST_F(AccountAdminTest, RepeatOfARecoveryNeedsItsPassphrase) {
  const auto made = Create(1, "Marie", "correct horse battery");
  ASSERT_THAT(Recover("marie", made->recovery_code, "a new passphrase"), IsOk());
  EXPECT_THAT(Recover("marie", made->recovery_code, "another passphrase").status(),
              HasReason("BAD_CREDENTIALS"));
  const auto again = Recover("marie", made->recovery_code, "a new passphrase");
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(Recover("marie", again->recovery_code, "a third passphrase", 2), IsOk());
}

TEST_F(AccountAdminTest, ComputesAHashForUnknownNamesToo) {
  // With this high cost, a call that computes a hash takes much longer than a call that computes
  // none.
  AccountAdmin slow(store_, {.rounds = 2, .kibibytes = 8'192}, time_, entropy_);
  const auto seconds = [&](const auto& call) {
    absl::Duration best = absl::InfiniteDuration();
    for (int i = 0; i < 5; ++i) {
      const Stopwatch watch;
      call();
      best = std::min(best, watch.Elapsed());
    }
    return absl::ToDoubleSeconds(best);
  };
  const std::string hash = HashPassphrase("x", {.rounds = 2, .kibibytes = 8'192}, entropy_);
  const double one_hash = seconds([&] { PassphraseMatches("y", hash); });
  EXPECT_GT(seconds([&] { (void)slow.Check("unknown", "passphrase"); }), 0.7 * one_hash);
  EXPECT_GT(seconds([&] {
              (void)slow.Recover({.login_key = "unknown",
                                  .recovery_code = "code",
                                  .new_passphrase = "passphrase",
                                  .request = {TestUuid(4, 1)},
                                  .expire_time = time_.Now()});
            }),
            0.7 * one_hash);
}

TEST_F(AccountAdminTest, ListsNamesPageByPage) {
  for (int i = 1; i <= 3; ++i) {
    ASSERT_THAT(Create(i, absl::StrCat("P", i), "a passphrase"), IsOk());
  }
  const AccountNamePage first = accounts_.ListNames(2, "").value();
  EXPECT_EQ(first.names, (std::vector<std::string>{"P1", "P2"}));
  const AccountNamePage second = accounts_.ListNames(2, first.next_page_token).value();
  EXPECT_EQ(second.names, std::vector<std::string>{"P3"});
  EXPECT_EQ(second.next_page_token, "");
  EXPECT_THAT(accounts_.ListNames(0, "no player").status(), HasReason("BAD_REQUEST"));
}

TEST(RecoveryCodeTest, HasFiveGroupsOfFive) {
  SeededEntropy entropy{7};
  const std::string code = NewRecoveryCode(entropy);
  EXPECT_EQ(code.size(), 29u);
  EXPECT_NE(code, NewRecoveryCode(entropy));
  EXPECT_EQ(HashRecoveryCode(code), HashRecoveryCode(absl::StrReplaceAll(code, {{"-", ""}})));
  EXPECT_NE(HashRecoveryCode(code), HashRecoveryCode(code.substr(1)));
}

}  // namespace
}  // namespace tarot::ratings_service
