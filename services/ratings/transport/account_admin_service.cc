#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/ratings/app/account_admin.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/account_admin_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

constexpr char kPlayers[] = "players/";

std::string NameOf(PlayerId player) { return kPlayers + player.ToString(); }

absl::StatusOr<Recovery> DecodeRecovery(const v1::RecoverAccountRequest& request) {
  Recovery recovery{.login_key = request.login_key(),
                    .recovery_code = request.recovery_code(),
                    .new_passphrase = request.new_passphrase()};
  TAROT_ASSIGN_OR_RETURN(recovery.request,
                         wire::DecodeName<RequestId>(request.request_id(), "", "request_id"));
  TAROT_ASSIGN_OR_RETURN(recovery.latest_sign_in_time,
                         wire::DecodeTime(request.latest_sign_in_time(), "latest_sign_in_time"));
  TAROT_ASSIGN_OR_RETURN(recovery.expire_time,
                         wire::DecodeTime(request.expire_time(), "expire_time"));
  return recovery;
}

class AccountAdminServiceHandler final : public v1::AccountAdminService::CallbackService {
 public:
  AccountAdminServiceHandler(AccountAdmin& accounts, rpc::Dispatcher& dispatcher,
                             rpc::Dispatcher& hashing)
      : accounts_(accounts), dispatcher_(dispatcher), hashing_(hashing) {}

  grpc::ServerUnaryReactor* GetAccount(grpc::CallbackServerContext* context,
                                       const v1::GetAccountRequest* request,
                                       v1::GetAccountResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.AccountAdminService/GetAccount", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                 wire::DecodeName<PlayerId>(request->player(), kPlayers, "player"));
          TAROT_ASSIGN_OR_RETURN(const std::optional<Account> account, accounts_.Get(player));
          if (!account) return absl::OkStatus();
          response->set_display_name(account->display_name);
          wire::EncodeTime(account->create_time, response->mutable_create_time());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* CreateAccount(grpc::CallbackServerContext* context,
                                          const v1::CreateAccountRequest* request,
                                          v1::CreateAccountResponse* response) override {
    return hashing_.Unary(
        context, "tarot.ratings.v1.AccountAdminService/CreateAccount", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                 wire::DecodeName<PlayerId>(request->player(), kPlayers, "player"));
          TAROT_ASSIGN_OR_RETURN(const AccountWithCode made,
                                 accounts_.Create({.player = player,
                                                   .display_name = request->display_name(),
                                                   .login_key = request->login_key(),
                                                   .look_key = request->look_key(),
                                                   .passphrase = request->passphrase()}));
          response->set_recovery_code(made.recovery_code);
          response->set_display_name(made.account.display_name);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* CheckPassphrase(grpc::CallbackServerContext* context,
                                            const v1::CheckPassphraseRequest* request,
                                            v1::CheckPassphraseResponse* response) override {
    return hashing_.Unary(context, "tarot.ratings.v1.AccountAdminService/CheckPassphrase",
                          rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                            TAROT_ASSIGN_OR_RETURN(
                                const Account account,
                                accounts_.Check(request->login_key(), request->passphrase()));
                            response->set_player(NameOf(account.player));
                            response->set_display_name(account.display_name);
                            return absl::OkStatus();
                          });
  }

  grpc::ServerUnaryReactor* RecoverAccount(grpc::CallbackServerContext* context,
                                           const v1::RecoverAccountRequest* request,
                                           v1::RecoverAccountResponse* response) override {
    return hashing_.Unary(
        context, "tarot.ratings.v1.AccountAdminService/RecoverAccount", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const Recovery recovery, DecodeRecovery(*request));
          TAROT_ASSIGN_OR_RETURN(const AccountWithCode changed, accounts_.Recover(recovery));
          response->set_player(NameOf(changed.account.player));
          response->set_display_name(changed.account.display_name);
          response->set_recovery_code(changed.recovery_code);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListAccountNames(grpc::CallbackServerContext* context,
                                             const v1::ListAccountNamesRequest* request,
                                             v1::ListAccountNamesResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.AccountAdminService/ListAccountNames", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const AccountNamePage page,
                                 accounts_.ListNames(request->page_size(), request->page_token()));
          for (const std::string& name : page.names) response->add_names(name);
          response->set_next_page_token(page.next_page_token);
          return absl::OkStatus();
        });
  }

 private:
  AccountAdmin& accounts_;
  rpc::Dispatcher& dispatcher_;
  rpc::Dispatcher& hashing_;  // Runs the methods that compute hashes.
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAccountAdminService(AccountAdmin& accounts,
                                                       rpc::Dispatcher& dispatcher,
                                                       rpc::Dispatcher& hashing) {
  return std::make_unique<AccountAdminServiceHandler>(accounts, dispatcher, hashing);
}

}  // namespace tarot::ratings_service
