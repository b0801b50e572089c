#include "services/gateway/transport/session_service.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/status/wire.h"
#include "services/gateway/app/passphrase.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

void Encode(const Session& session, v1::Session* out) {
  out->set_player(absl::StrCat("players/", session.player.id.ToString()));
  out->set_display_name(session.player.display_name);
  out->set_token(session.token);
  out->mutable_expire_time()->set_seconds(absl::ToUnixSeconds(session.player.token.expire_time));
}

template <typename Request>
absl::StatusOr<Request> Decode(const grpc::ByteBuffer& bytes) {
  Request request;
  // Parsing consumes the buffer, so this code parses a copy. The copy shares the memory of `bytes`.
  grpc::ByteBuffer copy = bytes;
  if (!grpc::SerializationTraits<Request>::Deserialize(&copy, &request).ok()) {
    return BadRequest("request", "not a message of this method");
  }
  return request;
}

template <typename Response>
absl::Status Serialize(const Response& response, grpc::ByteBuffer& out) {
  bool own_buffer = false;
  return status::FromGrpc(
      grpc::SerializationTraits<Response>::Serialize(response, &out, &own_buffer));
}

template <typename Request, typename Response, typename Handler>
absl::Status Decoded(const grpc::ByteBuffer& bytes, grpc::ByteBuffer& out, Handler handler) {
  TAROT_ASSIGN_OR_RETURN(const Request request, Decode<Request>(bytes));
  Response response;
  TAROT_RETURN_IF_ERROR(handler(request, response));
  return Serialize(response, out);
}

constexpr char kCreate[] = "tarot.gateway.v1.SessionService/CreateGuestSession";
constexpr char kRefresh[] = "tarot.gateway.v1.SessionService/RefreshSession";
constexpr char kSignOut[] = "tarot.gateway.v1.SessionService/SignOut";
constexpr char kGetAccount[] = "tarot.gateway.v1.SessionService/GetAccount";
constexpr char kCreateAccount[] = "tarot.gateway.v1.SessionService/CreateAccount";
constexpr char kSignIn[] = "tarot.gateway.v1.SessionService/SignIn";
constexpr char kRecover[] = "tarot.gateway.v1.SessionService/RecoverAccount";

// Counts and logs the end of a call that began at `start`.
void NoteEnd(const char* method, const rpc::MethodMetrics& metrics, const absl::Status& status,
             const std::string& traceparent, absl::Time start, absl::Time now) {
  if (status.ok()) metrics.MessageSent();
  metrics.Handled(status, now - start);
  LogAnswered(method, status, traceparent, start, now);
}

template <typename Request, typename Response, typename Handler>
grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                                 Traces& traces, Clock& clock, const char* method,
                                 const rpc::MethodMetrics& metrics, Handler handler) {
  const absl::Time start = clock.Now();
  const std::string trace = traces.Begin(*context);
  metrics.Started();
  metrics.MessageReceived();
  const absl::Status status = Decoded<Request, Response>(*request, *response, handler);
  NoteEnd(method, metrics, status, trace, start, clock.Now());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status::ToGrpc(status));
  return reactor;
}

}  // namespace

SessionServiceImpl::SessionServiceImpl(Sessions& sessions, AuthInterceptor& auth,
                                       Revocations& revocations, RevocationStore& store,
                                       AccountStore& accounts, Traces& traces, Clock& clock,
                                       Metrics& metrics, rpc::CallMetrics& calls)
    : sessions_(sessions),
      auth_(auth),
      revocations_(revocations),
      store_(store),
      accounts_(accounts),
      traces_(traces),
      clock_(clock),
      metrics_(metrics),
      create_(calls.Method(kCreate)),
      refresh_(calls.Method(kRefresh)),
      sign_out_(calls.Method(kSignOut)),
      get_account_(calls.Method(kGetAccount)),
      create_account_(calls.Method(kCreateAccount)),
      sign_in_(calls.Method(kSignIn)),
      recover_(calls.Method(kRecover)) {}

SessionServiceImpl::Finish SessionServiceImpl::Begin(grpc::CallbackServerContext& context,
                                                     grpc::ServerUnaryReactor& reactor,
                                                     const char* method,
                                                     const rpc::MethodMetrics& metrics) const {
  const absl::Time start = clock_.Now();
  metrics.Started();
  metrics.MessageReceived();
  return [this, start, method, trace = traces_.Begin(context), &reactor,
          &metrics](const absl::Status& status) {
    NoteEnd(method, metrics, status, trace, start, clock_.Now());
    reactor.Finish(status::ToGrpc(status));
  };
}

grpc::ServerUnaryReactor* SessionServiceImpl::CreateGuestSession(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return Answer<v1::CreateGuestSessionRequest, v1::CreateGuestSessionResponse>(
      context, request, response, traces_, clock_, kCreate, create_,
      [&](const v1::CreateGuestSessionRequest& decoded, v1::CreateGuestSessionResponse& out) {
        return CreateGuest(*context, decoded, out.mutable_session());
      });
}

grpc::ServerUnaryReactor* SessionServiceImpl::RefreshSession(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  return Answer<v1::RefreshSessionRequest, v1::RefreshSessionResponse>(
      context, request, response, traces_, clock_, kRefresh, refresh_,
      [&](const v1::RefreshSessionRequest&, v1::RefreshSessionResponse& out) {
        return Refresh(*context, out.mutable_session());
      });
}

grpc::ServerUnaryReactor* SessionServiceImpl::SignOut(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Finish finish = Begin(*context, *reactor, kSignOut, sign_out_);
  const absl::StatusOr<SigningOut> admitted = DecodeSignOut(*context, *request);
  if (!admitted.ok()) {
    finish(admitted.status());
    return reactor;
  }
  store_.Store(admitted->revocation,
               [this, context, admitted = *admitted, finish, response](const absl::Status& stored) {
                 const auto& [player, revocation] = admitted;
                 if (!stored.ok()) {
                   // The client repeats the call, so this attempt must not count in the limit.
                   if (absl::IsUnavailable(stored)) auth_.GiveBackSignOut(*context, player);
                   return finish(stored);
                 }
                 // This gateway refuses the token from now on. The other gateways ask ratings for
                 // new revocations.
                 revocations_.Add(revocation);
                 const bool everywhere = revocation.latest_sign_in_time.has_value();
                 (everywhere ? metrics_.sign_outs_everywhere : metrics_.sign_outs).Increment();
                 finish(Serialize(v1::SignOutResponse(), *response));
               });
  return reactor;
}

absl::StatusOr<SessionServiceImpl::SigningOut> SessionServiceImpl::DecodeSignOut(
    const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes) {
  TAROT_ASSIGN_OR_RETURN(const SignedInPlayer player, auth_.Admit(context));
  TAROT_RETURN_IF_ERROR(auth_.AdmitSignOut(context, player.id));
  TAROT_ASSIGN_OR_RETURN(const auto request, Decode<v1::SignOutRequest>(bytes));
  return SigningOut{player.id, sessions_.SignOut(player, request.everywhere())};
}

grpc::ServerUnaryReactor* SessionServiceImpl::GetAccount(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Finish finish = Begin(*context, *reactor, kGetAccount, get_account_);
  const absl::StatusOr<SignedInPlayer> player = auth_.Admit(*context);
  const auto decoded = Decode<v1::GetAccountRequest>(*request);
  if (!player.ok() || !decoded.ok()) {
    finish(player.ok() ? decoded.status() : player.status());
    return reactor;
  }
  accounts_.Get(player->id,
                [finish, response](const absl::StatusOr<std::optional<AccountInfo>>& found) {
                  if (!found.ok()) return finish(found.status());
                  v1::GetAccountResponse answer;
                  if (*found) {
                    answer.mutable_account()->set_display_name((*found)->display_name);
                    answer.mutable_account()->mutable_create_time()->set_seconds(
                        absl::ToUnixSeconds((*found)->create_time));
                  }
                  finish(Serialize(answer, *response));
                });
  return reactor;
}

grpc::ServerUnaryReactor* SessionServiceImpl::CreateAccount(grpc::CallbackServerContext* context,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Finish finish = Begin(*context, *reactor, kCreateAccount, create_account_);
  const absl::StatusOr<NewAccount> admitted = DecodeNewAccount(*context, *request);
  if (!admitted.ok()) {
    finish(admitted.status());
    return reactor;
  }
  const NameKeys keys = KeysOfName(admitted->display_name);
  accounts_.Create(admitted->player.id, admitted->display_name, keys, admitted->passphrase,
                   [this, finish, response, login = keys.login, player = admitted->player,
                    name = admitted->display_name](const absl::StatusOr<AccountPlayer>& made) {
                     const ErrorDetails why = GetErrorDetails(made.status());
                     // Only ACCOUNT_EXISTS can mean that the passphrase was wrong. So after every
                     // other answer, the call does not count as a guess.
                     if (why.reason != "ACCOUNT_EXISTS") auth_.GiveBackGuess(login);
                     if (why.reason == "NAME_TAKEN")
                       return finish(sessions_.AccountNameTaken(name));
                     if (!made.ok()) return finish(made.status());
                     metrics_.new_accounts.Increment();
                     v1::CreateAccountResponse answer;
                     SignedInPlayer renamed = player;
                     renamed.display_name = made->display_name;
                     Encode(sessions_.Refresh(renamed), answer.mutable_session());
                     answer.set_recovery_code(made->recovery_code);
                     finish(Serialize(answer, *response));
                   });
  return reactor;
}

grpc::ServerUnaryReactor* SessionServiceImpl::SignIn(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Finish finish = Begin(*context, *reactor, kSignIn, sign_in_);
  const absl::StatusOr<Login> admitted = DecodeSignIn(*context, *request);
  if (!admitted.ok()) {
    finish(admitted.status());
    return reactor;
  }
  accounts_.Check(admitted->login_key, admitted->passphrase,
                  [this, finish, response,
                   login = admitted->login_key](const absl::StatusOr<AccountPlayer>& player) {
                    if (!absl::IsUnauthenticated(player.status())) auth_.GiveBackGuess(login);
                    if (!player.ok()) return finish(player.status());
                    metrics_.passphrase_sign_ins.Increment();
                    v1::SignInResponse answer;
                    Encode(sessions_.SignIn(player->id, player->display_name,
                                            revocations_.LatestSignIn(player->id)),
                           answer.mutable_session());
                    finish(Serialize(answer, *response));
                  });
  return reactor;
}

grpc::ServerUnaryReactor* SessionServiceImpl::RecoverAccount(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const Finish finish = Begin(*context, *reactor, kRecover, recover_);
  const absl::StatusOr<AccountRecovery> admitted = DecodeRecovery(*context, *request);
  if (!admitted.ok()) {
    finish(admitted.status());
    return reactor;
  }
  accounts_.Recover(
      *admitted, [this, finish, response, latest = admitted->latest_sign_in_time,
                  end = admitted->expire_time](const absl::StatusOr<AccountPlayer>& player) {
        if (!player.ok()) return finish(player.status());
        // Ratings has stored this revocation together with the passphrase.
        revocations_.Add(
            {.subject = player->id.uuid, .latest_sign_in_time = latest, .expire_time = end});
        metrics_.recoveries.Increment();
        v1::RecoverAccountResponse answer;
        Encode(sessions_.SignIn(player->id, player->display_name,
                                revocations_.LatestSignIn(player->id)),
               answer.mutable_session());
        answer.set_recovery_code(player->recovery_code);
        finish(Serialize(answer, *response));
      });
  return reactor;
}

absl::StatusOr<SessionServiceImpl::NewAccount> SessionServiceImpl::DecodeNewAccount(
    const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes) {
  NewAccount account;
  TAROT_ASSIGN_OR_RETURN(account.player, auth_.Admit(context));
  TAROT_RETURN_IF_ERROR(auth_.AdmitSecret(context));
  TAROT_ASSIGN_OR_RETURN(const auto request, Decode<v1::CreateAccountRequest>(bytes));
  TAROT_ASSIGN_OR_RETURN(account.display_name,
                         sessions_.AccountName(account.player, request.display_name()));
  TAROT_ASSIGN_OR_RETURN(
      account.passphrase,
      ComposeNewPassphrase(request.passphrase(), account.display_name, "passphrase"));
  TAROT_RETURN_IF_ERROR(auth_.AdmitGuess(KeysOfName(account.display_name).login));
  return account;
}

absl::StatusOr<SessionServiceImpl::Login> SessionServiceImpl::DecodeSignIn(
    const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes) {
  TAROT_RETURN_IF_ERROR(auth_.AdmitSecret(context));
  TAROT_ASSIGN_OR_RETURN(const auto request, Decode<v1::SignInRequest>(bytes));
  TAROT_ASSIGN_OR_RETURN(const std::string name, ComposeDisplayName(request.display_name()));
  Login login{.login_key = KeysOfName(name).login};
  TAROT_ASSIGN_OR_RETURN(login.passphrase, ComposePassphrase(request.passphrase(), "passphrase"));
  TAROT_RETURN_IF_ERROR(auth_.AdmitGuess(login.login_key));
  return login;
}

absl::StatusOr<AccountRecovery> SessionServiceImpl::DecodeRecovery(
    const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes) {
  TAROT_RETURN_IF_ERROR(auth_.AdmitSecret(context));
  TAROT_ASSIGN_OR_RETURN(const auto request, Decode<v1::RecoverAccountRequest>(bytes));
  TAROT_ASSIGN_OR_RETURN(const std::string name, ComposeDisplayName(request.display_name()));
  AccountRecovery recovery{.login_key = KeysOfName(name).login,
                           .recovery_code = request.recovery_code(),
                           .request_id = request.request_id()};
  if (recovery.recovery_code.empty() || recovery.recovery_code.size() > kPassphraseBytesMax) {
    return BadRequest("recovery_code", "required, 25 letters and digits");
  }
  const std::optional<RequestId> id = RequestId::Parse(recovery.request_id);
  if (!id || id->empty()) return BadRequest("request_id", "must be a UUID");
  TAROT_ASSIGN_OR_RETURN(recovery.new_passphrase,
                         ComposeNewPassphrase(request.new_passphrase(), name, "new_passphrase"));
  // Only ratings knows which player has this name. So this code passes no player, and uses only the
  // times of the revocation.
  const Revocation revocation = sessions_.RevokeAll({});
  recovery.latest_sign_in_time = *revocation.latest_sign_in_time;
  recovery.expire_time = revocation.expire_time;
  return recovery;
}

absl::Status SessionServiceImpl::CreateGuest(const grpc::CallbackServerContext& context,
                                             const v1::CreateGuestSessionRequest& request,
                                             v1::Session* out) {
  TAROT_RETURN_IF_ERROR(auth_.AdmitSignIn(context));
  TAROT_ASSIGN_OR_RETURN(const Session session, sessions_.CreateGuest(request.display_name()));
  metrics_.guests.Increment();
  Encode(session, out);
  return absl::OkStatus();
}

absl::Status SessionServiceImpl::Refresh(const grpc::CallbackServerContext& context,
                                         v1::Session* out) {
  TAROT_ASSIGN_OR_RETURN(const SignedInPlayer player, auth_.Admit(context));
  metrics_.refreshes.Increment();
  Encode(sessions_.Refresh(player), out);
  return absl::OkStatus();
}

}  // namespace tarot::gateway_service
