#include "services/gateway/transport/account_client.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/wire/values.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

namespace rv = ::tarot::ratings::v1;

namespace {

constexpr char kService[] = "tarot.ratings.v1.AccountAdminService/";
constexpr char kPlayers[] = "players/";

std::string NameOf(PlayerId player) { return absl::StrCat(kPlayers, player.ToString()); }

absl::StatusOr<AccountPlayer> Decode(const std::string& player, const std::string& display_name,
                                     const std::string& recovery_code) {
  const auto id = wire::DecodeName<PlayerId>(player, kPlayers, "player");
  if (!id.ok()) return ServiceAway("ratings");
  return AccountPlayer{.id = *id, .display_name = display_name, .recovery_code = recovery_code};
}

}  // namespace

AccountClient::AccountClient(const std::shared_ptr<grpc::Channel>& ratings,
                             const rpc::Authenticator& identity, rpc::CallMetrics& calls)
    : stub_(rv::AccountAdminService::NewStub(ratings)),
      identity_(identity),
      get_metrics_(calls.Method(absl::StrCat(kService, "GetAccount"))),
      create_metrics_(calls.Method(absl::StrCat(kService, "CreateAccount"))),
      check_metrics_(calls.Method(absl::StrCat(kService, "CheckPassphrase"))),
      recover_metrics_(calls.Method(absl::StrCat(kService, "RecoverAccount"))) {}

template <typename Request, typename Response>
void AccountClient::Send(Method<Request, Response> method, const Request& request,
                         const rpc::MethodMetrics& metrics,
                         std::function<void(const absl::StatusOr<Response>&)> done) {
  struct Call {
    std::optional<grpc::ClientContext> context{std::in_place};
    Request request;
    Response response;
    Stopwatch watch;
  };
  const auto call = std::make_shared<Call>();
  call->request = request;
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kAccountTimeout);
  if (!pending_.Add(call->context)) return done(ServiceAway("ratings"));
  metrics.Started();
  metrics.MessageSent();
  (stub_->async()->*method)(
      &*call->context, &call->request, &call->response,
      [this, call, &metrics, done = std::move(done)](const grpc::Status& status) {
        metrics.Handled(static_cast<absl::StatusCode>(status.error_code()), call->watch.Elapsed());
        if (status.ok()) {
          metrics.MessageReceived();
          done(call->response);
        } else if (status.error_details().empty()) {
          // An error without details comes from gRPC and not from the ratings service.
          done(ServiceAway("ratings"));
        } else {
          done(status::FromGrpc(status));
        }
        pending_.Remove(call->context);
      });
}

void AccountClient::Get(
    PlayerId player, std::function<void(const absl::StatusOr<std::optional<AccountInfo>>&)> done) {
  rv::GetAccountRequest request;
  request.set_player(NameOf(player));
  Send<rv::GetAccountRequest, rv::GetAccountResponse>(
      &Stub::GetAccount, request, get_metrics_,
      [done = std::move(done)](const absl::StatusOr<rv::GetAccountResponse>& answer) {
        if (!answer.ok()) return done(answer.status());
        if (answer->display_name().empty()) return done(std::nullopt);
        const auto created = wire::DecodeTime(answer->create_time(), "create_time");
        if (!created.ok()) return done(ServiceAway("ratings"));
        done(AccountInfo{.display_name = answer->display_name(), .create_time = *created});
      });
}

void AccountClient::Create(PlayerId player, const std::string& display_name, const NameKeys& keys,
                           const std::string& passphrase, Done done) {
  rv::CreateAccountRequest request;
  request.set_player(NameOf(player));
  request.set_display_name(display_name);
  request.set_login_key(keys.login);
  request.set_look_key(keys.look);
  request.set_passphrase(passphrase);
  Send<rv::CreateAccountRequest, rv::CreateAccountResponse>(
      &Stub::CreateAccount, request, create_metrics_,
      [player, done = std::move(done)](const absl::StatusOr<rv::CreateAccountResponse>& answer) {
        if (!answer.ok()) return done(answer.status());
        done(AccountPlayer{.id = player,
                           .display_name = answer->display_name(),
                           .recovery_code = answer->recovery_code()});
      });
}

void AccountClient::Check(const std::string& login_key, const std::string& passphrase, Done done) {
  rv::CheckPassphraseRequest request;
  request.set_login_key(login_key);
  request.set_passphrase(passphrase);
  Send<rv::CheckPassphraseRequest, rv::CheckPassphraseResponse>(
      &Stub::CheckPassphrase, request, check_metrics_,
      [done = std::move(done)](const absl::StatusOr<rv::CheckPassphraseResponse>& answer) {
        if (!answer.ok()) return done(answer.status());
        done(Decode(answer->player(), answer->display_name(), ""));
      });
}

void AccountClient::Recover(const AccountRecovery& recovery, Done done) {
  rv::RecoverAccountRequest request;
  request.set_login_key(recovery.login_key);
  request.set_recovery_code(recovery.recovery_code);
  request.set_new_passphrase(recovery.new_passphrase);
  request.set_request_id(recovery.request_id);
  wire::EncodeTime(recovery.latest_sign_in_time, request.mutable_latest_sign_in_time());
  wire::EncodeTime(recovery.expire_time, request.mutable_expire_time());
  Send<rv::RecoverAccountRequest, rv::RecoverAccountResponse>(
      &Stub::RecoverAccount, request, recover_metrics_,
      [done = std::move(done)](const absl::StatusOr<rv::RecoverAccountResponse>& answer) {
        if (!answer.ok()) return done(answer.status());
        done(Decode(answer->player(), answer->display_name(), answer->recovery_code()));
      });
}

}  // namespace tarot::gateway_service
