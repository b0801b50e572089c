// One call on its way through the gateway: a server's side towards the player, a client's side
// towards the service, and one message in flight between them.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>

#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/transport/player_stream.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway {

// Deletes itself in OnDone, which comes after everything else, on both sides: the inner call is
// over before the outer one is finished.
class ForwardedCall final : public grpc::ServerGenericBidiReactor, public PlayerStream {
 public:
  // `route.server` has been told that it started.
  ForwardedCall(const Route& route, Player player, const rpc::Authenticator& inward, Clock& clock,
                const grpc::CallbackServerContext& context, CallOwner& owner);

  void SendAway() override { CancelInner(); }

 private:
  struct Unary final : grpc::ClientUnaryReactor {
    explicit Unary(ForwardedCall& owner) : call(owner) {}
    void OnDone(const grpc::Status& status) override { call.InnerDone(status); }
    ForwardedCall& call;
  };
  struct Stream final : grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
    explicit Stream(ForwardedCall& owner) : call(owner) {}
    void OnReadDone(bool ok) override { call.InnerRead(ok); }
    void OnDone(const grpc::Status& status) override { call.InnerDone(status); }
    ForwardedCall& call;
  };

  // The player's side.
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { CancelInner(); }
  void OnDone() override;

  // The service's side.
  void StartInner();
  bool StartAsMove();  // On the stream of moves, if there is one.
  void CancelInner();
  void InnerRead(bool ok);
  void InnerDone(const grpc::Status& status);

  void End(const grpc::Status& status);
  grpc::Status Outward(const grpc::Status& inner) const;

  const Route& route_;
  const Player player_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  const grpc::CallbackServerContext& context_;
  CallOwner& owner_;
  const absl::Time start_;
  bool have_request_ = false;
  std::shared_ptr<Way> way_;
  grpc::ClientContext inner_context_;
  std::atomic<std::uint64_t> move_ = 0;  // Its name on the stream of moves of `way_`.
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;  // From the service to the player; before that, what must not come.
  Unary unary_{*this};
  Stream stream_{*this};
};

}  // namespace tarot::gateway
