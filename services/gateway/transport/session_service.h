// SessionService is the gateway's own service. Its methods never block, so they run on gRPC's
// threads. SignOut ends on the callback of its call to ratings.
#pragma once

#include <grpcpp/grpcpp.h>

#include "libs/base/clock.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/auth_interceptor.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"

namespace tarot::gateway_service {

namespace v1 = ::tarot::gateway::v1;

// The methods get raw bytes, because generated handlers of gRPC 1.51 answer UNIMPLEMENTED without a
// reason if a message does not parse.
using RawSessionCalls = v1::SessionService::WithRawCallbackMethod_CreateGuestSession<
    v1::SessionService::WithRawCallbackMethod_RefreshSession<
        v1::SessionService::WithRawCallbackMethod_SignOut<v1::SessionService::Service>>>;

class SessionServiceImpl final : public RawSessionCalls {
 public:
  SessionServiceImpl(Sessions& sessions, AuthInterceptor& auth, Revocations& revocations,
                     RevocationStore& store, Clock& clock, Metrics& metrics,
                     rpc::CallMetrics& calls);

  grpc::ServerUnaryReactor* CreateGuestSession(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RefreshSession(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SignOut(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;

 private:
  absl::Status CreateGuest(const grpc::CallbackServerContext& context,
                           const v1::CreateGuestSessionRequest& request, v1::Session* out);
  absl::Status Refresh(const grpc::CallbackServerContext& context, v1::Session* out);
  // Returns the revocation that the call asks for.
  absl::StatusOr<Revocation> DecodeSignOut(const grpc::CallbackServerContext& context,
                                           const grpc::ByteBuffer& bytes);

  Sessions& sessions_;
  AuthInterceptor& auth_;
  Revocations& revocations_;
  RevocationStore& store_;
  Clock& clock_;
  Metrics& metrics_;
  const rpc::MethodMetrics create_;
  const rpc::MethodMetrics refresh_;
  const rpc::MethodMetrics sign_out_;
};

}  // namespace tarot::gateway_service
