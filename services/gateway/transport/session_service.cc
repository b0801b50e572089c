#include "services/gateway/transport/session_service.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/status/wire.h"

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
  // The copy shares the memory of `bytes`. Parsing consumes the copy, and `bytes` is const.
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

// Decodes the request, runs `handler` with it, and encodes the response.
template <typename Request, typename Response, typename Handler>
absl::Status Decoded(const grpc::ByteBuffer& bytes, grpc::ByteBuffer& out, Handler handler) {
  TAROT_ASSIGN_OR_RETURN(const Request request, Decode<Request>(bytes));
  Response response;
  TAROT_RETURN_IF_ERROR(handler(request, response));
  return Serialize(response, out);
}

template <typename Request, typename Response, typename Handler>
grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                                 Clock& clock, const rpc::MethodMetrics& metrics, Handler handler) {
  const absl::Time start = clock.Now();
  metrics.Started();
  metrics.MessageReceived();
  const absl::Status status = Decoded<Request, Response>(*request, *response, handler);
  if (status.ok()) metrics.MessageSent();
  metrics.Handled(status.code(), clock.Now() - start);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status::ToGrpc(status));
  return reactor;
}

}  // namespace

SessionServiceImpl::SessionServiceImpl(Sessions& sessions, AuthInterceptor& auth,
                                       Revocations& revocations, RevocationStore& store,
                                       Clock& clock, Metrics& metrics, rpc::CallMetrics& calls)
    : sessions_(sessions),
      auth_(auth),
      revocations_(revocations),
      store_(store),
      clock_(clock),
      metrics_(metrics),
      create_(calls.Method("tarot.gateway.v1.SessionService/CreateGuestSession")),
      refresh_(calls.Method("tarot.gateway.v1.SessionService/RefreshSession")),
      sign_out_(calls.Method("tarot.gateway.v1.SessionService/SignOut")) {}

grpc::ServerUnaryReactor* SessionServiceImpl::CreateGuestSession(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return Answer<v1::CreateGuestSessionRequest, v1::CreateGuestSessionResponse>(
      context, request, response, clock_, create_,
      [&](const v1::CreateGuestSessionRequest& decoded, v1::CreateGuestSessionResponse& out) {
        return CreateGuest(*context, decoded, out.mutable_session());
      });
}

grpc::ServerUnaryReactor* SessionServiceImpl::RefreshSession(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  return Answer<v1::RefreshSessionRequest, v1::RefreshSessionResponse>(
      context, request, response, clock_, refresh_,
      [&](const v1::RefreshSessionRequest&, v1::RefreshSessionResponse& out) {
        return Refresh(*context, out.mutable_session());
      });
}

grpc::ServerUnaryReactor* SessionServiceImpl::SignOut(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) {
  const absl::Time start = clock_.Now();
  sign_out_.Started();
  sign_out_.MessageReceived();
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto finish = [this, start, reactor](const absl::Status& status) {
    if (status.ok()) sign_out_.MessageSent();
    sign_out_.Handled(status.code(), clock_.Now() - start);
    reactor->Finish(status::ToGrpc(status));
  };
  const absl::StatusOr<Revocation> revocation = DecodeSignOut(*context, *request);
  if (!revocation.ok()) {
    finish(revocation.status());
    return reactor;
  }
  store_.Store(*revocation,
               [this, revocation = *revocation, finish, response](const absl::Status& stored) {
                 if (!stored.ok()) return finish(stored);
                 // This gateway refuses the token from now on. The other gateways ask for new
                 // revocations.
                 revocations_.Add(revocation);
                 const bool everywhere = revocation.latest_sign_in_time.has_value();
                 (everywhere ? metrics_.sign_outs_everywhere : metrics_.sign_outs).Increment();
                 finish(Serialize(v1::SignOutResponse(), *response));
               });
  return reactor;
}

absl::StatusOr<Revocation> SessionServiceImpl::DecodeSignOut(
    const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes) {
  TAROT_ASSIGN_OR_RETURN(const SignedInPlayer player, auth_.Admit(context));
  TAROT_RETURN_IF_ERROR(auth_.AdmitSignOut(context));
  TAROT_ASSIGN_OR_RETURN(const auto request, Decode<v1::SignOutRequest>(bytes));
  return sessions_.SignOut(player, request.everywhere());
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
