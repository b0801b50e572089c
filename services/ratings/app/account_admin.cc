#include "services/ratings/app/account_admin.h"

#include <algorithm>
#include <utility>

#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

absl::Status CheckText(const std::string& field, const std::string& text) {
  if (text.empty()) return error::FieldMissing(field);
  if (text.size() > kAccountTextBytesMax || text.find('\0') != std::string::npos) {
    return error::TextInvalid(field, kAccountTextBytesMax);
  }
  return absl::OkStatus();
}

}  // namespace

AccountAdmin::AccountAdmin(AccountStore& store, const HashCost& cost, Clock& clock,
                           Entropy& entropy)
    : store_(store),
      cost_(cost),
      clock_(clock),
      entropy_(entropy),
      other_hash_(HashPassphrase("", cost, entropy)) {}

absl::StatusOr<std::optional<Account>> AccountAdmin::Get(PlayerId player) {
  return store_.FindByPlayer(player);
}

absl::StatusOr<AccountWithCode> AccountAdmin::Create(const NewAccount& request) {
  TAROT_RETURN_IF_ERROR(CheckText("display_name", request.display_name));
  TAROT_RETURN_IF_ERROR(CheckText("login_key", request.login_key));
  TAROT_RETURN_IF_ERROR(CheckText("look_key", request.look_key));
  TAROT_RETURN_IF_ERROR(CheckText("passphrase", request.passphrase));
  TAROT_ASSIGN_OR_RETURN(std::optional<Account> existing, store_.FindByPlayer(request.player));
  if (!existing) {
    AccountWithCode made{.account = {.player = request.player,
                                     .display_name = request.display_name,
                                     .login_key = request.login_key,
                                     .create_time = clock_.Now()},
                         .recovery_code = NewRecoveryCode(entropy_)};
    made.account.passphrase_hash = HashPassphrase(request.passphrase, cost_, entropy_);
    made.account.recovery_hash = HashRecoveryCode(made.recovery_code);
    TAROT_ASSIGN_OR_RETURN(const AddAccountOutcome outcome,
                           store_.Add(made.account, request.look_key));
    if (outcome == AddAccountOutcome::kAdded) return made;
    if (outcome == AddAccountOutcome::kNameTaken) return error::AccountNameTaken();
    // Another call has added an account for this player in the meantime. If that account has the
    // same name and passphrase, this call may be a repeat, so it succeeds below.
    TAROT_ASSIGN_OR_RETURN(existing, store_.FindByPlayer(request.player));
  }
  if (!existing || existing->login_key != request.login_key ||
      !PassphraseMatches(request.passphrase, existing->passphrase_hash)) {
    return error::AccountExists();
  }
  return ReplaceCode(*std::move(existing));
}

absl::StatusOr<Account> AccountAdmin::Check(const std::string& login_key,
                                            const std::string& passphrase) {
  TAROT_RETURN_IF_ERROR(CheckText("login_key", login_key));
  TAROT_RETURN_IF_ERROR(CheckText("passphrase", passphrase));
  TAROT_ASSIGN_OR_RETURN(std::optional<Account> account, store_.FindByLogin(login_key));
  const bool right =
      PassphraseMatches(passphrase, account ? account->passphrase_hash : other_hash_);
  if (!right || !account) return error::BadCredentials();
  return *std::move(account);
}

absl::StatusOr<AccountWithCode> AccountAdmin::Recover(const Recovery& recovery) {
  TAROT_RETURN_IF_ERROR(CheckText("login_key", recovery.login_key));
  TAROT_RETURN_IF_ERROR(CheckText("recovery_code", recovery.recovery_code));
  TAROT_RETURN_IF_ERROR(CheckText("new_passphrase", recovery.new_passphrase));
  if (recovery.request.empty()) return error::FieldMissing("request_id");
  if (recovery.expire_time > clock_.Now() + kRevocationLifeMax) return error::RevocationTooLong();
  TAROT_ASSIGN_OR_RETURN(std::optional<Account> account, store_.FindByLogin(recovery.login_key));
  if (account && account->recovery_request == recovery.request) {
    if (!PassphraseMatches(recovery.new_passphrase, account->passphrase_hash)) {
      return error::BadCredentials();
    }
    return ReplaceCode(*std::move(account));
  }
  std::string hash = HashPassphrase(recovery.new_passphrase, cost_, entropy_);
  if (!account || !HashesEqual(HashRecoveryCode(recovery.recovery_code), account->recovery_hash)) {
    return error::BadCredentials();
  }
  const std::string old_hash = account->recovery_hash;
  AccountWithCode changed{.account = *std::move(account),
                          .recovery_code = NewRecoveryCode(entropy_)};
  changed.account.passphrase_hash = std::move(hash);
  changed.account.recovery_hash = HashRecoveryCode(changed.recovery_code);
  changed.account.recovery_request = recovery.request;
  TAROT_ASSIGN_OR_RETURN(const RecoverOutcome outcome,
                         store_.Recover(changed.account, old_hash,
                                        {.subject = changed.account.player.uuid,
                                         .latest_sign_in_time = recovery.latest_sign_in_time,
                                         .expire_time = recovery.expire_time},
                                        kRevocationsMax));
  if (outcome == RecoverOutcome::kCodeUsed) return error::BadCredentials();
  if (outcome == RecoverOutcome::kRevocationsFull) return error::TooManyRevocations();
  return changed;
}

absl::StatusOr<AccountWithCode> AccountAdmin::ReplaceCode(Account account) {
  AccountWithCode changed{.account = std::move(account),
                          .recovery_code = NewRecoveryCode(entropy_)};
  std::string hash = HashRecoveryCode(changed.recovery_code);
  TAROT_ASSIGN_OR_RETURN(
      const bool replaced,
      store_.ReplaceRecoveryCode(changed.account.player, changed.account.recovery_hash, hash));
  // Another call has replaced the code in the meantime. After this error, the client repeats its
  // call.
  if (!replaced) return error::CodeReplacedMeanwhile();
  changed.account.recovery_hash = std::move(hash);
  return changed;
}

absl::StatusOr<AccountNamePage> AccountAdmin::ListNames(int page_size,
                                                        const std::string& page_token) {
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kNamePageMax : std::min(page_size, kNamePageMax);
  PlayerId after;
  if (!page_token.empty()) {
    const std::optional<PlayerId> player = PlayerId::Parse(page_token);
    if (!player) return error::PageTokenInvalid();
    after = *player;
  }
  TAROT_ASSIGN_OR_RETURN(std::vector<AccountName> names, store_.ListNames(after, limit));
  AccountNamePage page;
  if (static_cast<int>(names.size()) == limit) {
    page.next_page_token = names.back().player.ToString();
  }
  for (AccountName& name : names) page.names.push_back(std::move(name.display_name));
  return page;
}

}  // namespace tarot::ratings_service
