// Calls the AccountAdminService of ratings, which stores the accounts.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/gateway/app/accounts.h"
#include "tarot/ratings/v1/account_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Thread-safe. Its methods give UNAVAILABLE SERVICE_AWAY if the ratings service does not answer
// within kAccountTimeout, and otherwise the status of its answer.
class AccountClient final : public AccountStore {
 public:
  // The referenced objects must outlive this one.
  AccountClient(const std::shared_ptr<grpc::Channel>& ratings, const rpc::Authenticator& identity,
                rpc::CallMetrics& calls);

  // Cancels the calls in flight and waits for their callbacks.
  void Stop() { pending_.Stop(); }

  void Get(PlayerId player,
           std::function<void(const absl::StatusOr<std::optional<AccountInfo>>&)> done) override;
  void Create(PlayerId player, const std::string& display_name, const NameKeys& keys,
              const std::string& passphrase, Done done) override;
  void Check(const std::string& login_key, const std::string& passphrase, Done done) override;
  void Recover(const AccountRecovery& recovery, Done done) override;

 private:
  using Stub = tarot::ratings::v1::AccountAdminService::StubInterface::async_interface;
  template <typename Request, typename Response>
  using Method = void (Stub::*)(grpc::ClientContext*, const Request*, Response*,
                                std::function<void(grpc::Status)>);

  // Sends one call. `done` gets the response, or the error for the player. `metrics` must outlive
  // the call.
  template <typename Request, typename Response>
  void Send(Method<Request, Response> method, const Request& request,
            const rpc::MethodMetrics& metrics,
            std::function<void(const absl::StatusOr<Response>&)> done);

  const std::unique_ptr<tarot::ratings::v1::AccountAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics get_metrics_;
  const rpc::MethodMetrics create_metrics_;
  const rpc::MethodMetrics check_metrics_;
  const rpc::MethodMetrics recover_metrics_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::gateway_service
