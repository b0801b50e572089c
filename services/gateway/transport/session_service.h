// Serves SessionService, the gateway's own service, in which players sign in and out and keep an
// account. Its methods run on gRPC's threads and do not block. SignOut and the methods about
// accounts finish in the callback of their call to ratings.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "libs/base/clock.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/app/accounts.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/auth_interceptor.h"
#include "services/gateway/transport/traces.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"

namespace tarot::gateway_service {

namespace v1 = ::tarot::gateway::v1;

// The methods get raw bytes. A generated handler of gRPC 1.51 would answer UNIMPLEMENTED without a
// reason if a message does not parse.
using RawSessionCalls = v1::SessionService::WithRawCallbackMethod_CreateGuestSession<
    v1::SessionService::WithRawCallbackMethod_RefreshSession<
        v1::SessionService::WithRawCallbackMethod_SignOut<
            v1::SessionService::WithRawCallbackMethod_GetAccount<
                v1::SessionService::WithRawCallbackMethod_CreateAccount<
                    v1::SessionService::WithRawCallbackMethod_SignIn<
                        v1::SessionService::WithRawCallbackMethod_RecoverAccount<
                            v1::SessionService::Service>>>>>>>;

class SessionServiceImpl final : public RawSessionCalls {
 public:
  SessionServiceImpl(Sessions& sessions, AuthInterceptor& auth, Revocations& revocations,
                     RevocationStore& store, AccountStore& accounts, Traces& traces, Clock& clock,
                     Metrics& metrics, rpc::CallMetrics& calls);

  grpc::ServerUnaryReactor* CreateGuestSession(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RefreshSession(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SignOut(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetAccount(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CreateAccount(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SignIn(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RecoverAccount(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;

 private:
  struct SigningOut {
    PlayerId player;
    Revocation revocation;
  };

  // The data of a CreateAccount call that this gateway has admitted.
  struct NewAccount {
    SignedInPlayer player;
    std::string display_name;
    std::string passphrase;
  };
  struct Login {
    std::string login_key;
    std::string passphrase;
  };
  using Finish = std::function<void(const absl::Status&)>;

  // Counts the call as started. Returns the function that finishes it.
  Finish Begin(grpc::CallbackServerContext& context, grpc::ServerUnaryReactor& reactor,
               const char* method, const rpc::MethodMetrics& metrics) const;

  absl::StatusOr<NewAccount> DecodeNewAccount(const grpc::CallbackServerContext& context,
                                              const grpc::ByteBuffer& bytes);
  absl::StatusOr<Login> DecodeSignIn(const grpc::CallbackServerContext& context,
                                     const grpc::ByteBuffer& bytes);
  absl::StatusOr<AccountRecovery> DecodeRecovery(const grpc::CallbackServerContext& context,
                                                 const grpc::ByteBuffer& bytes);
  absl::Status CreateGuest(const grpc::CallbackServerContext& context,
                           const v1::CreateGuestSessionRequest& request, v1::Session* out);
  absl::Status Refresh(const grpc::CallbackServerContext& context, v1::Session* out);
  absl::StatusOr<SigningOut> DecodeSignOut(const grpc::CallbackServerContext& context,
                                           const grpc::ByteBuffer& bytes);

  Sessions& sessions_;
  AuthInterceptor& auth_;
  Revocations& revocations_;
  RevocationStore& store_;
  AccountStore& accounts_;
  Traces& traces_;
  Clock& clock_;
  Metrics& metrics_;
  const rpc::MethodMetrics create_;
  const rpc::MethodMetrics refresh_;
  const rpc::MethodMetrics sign_out_;
  const rpc::MethodMetrics get_account_;
  const rpc::MethodMetrics create_account_;
  const rpc::MethodMetrics sign_in_;
  const rpc::MethodMetrics recover_;
};

}  // namespace tarot::gateway_service
