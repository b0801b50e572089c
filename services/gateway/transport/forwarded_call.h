// One call that the gateway forwards. It has a server's side for the player, a client's side for
// the service, and one message in flight between them.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>

#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

// A stream that a player holds open.
class PlayerStream {
 public:
  virtual ~PlayerStream() = default;
  // Ends the stream with UNAVAILABLE SERVICE_AWAY, so that the player opens another one at another
  // gateway. Any thread may call it at any time before StreamDone.
  virtual void SendAway() = 0;
};

// Counts the calls that are open. A call gets a slot when its request is whole, so that calls
// without a message hold nothing that other players need.
class CallOwner {
 public:
  virtual ~CallOwner() = default;
  // Call it when the request of a call is whole. If it returns OK, the call has a slot. Otherwise
  // it returns RESOURCE_EXHAUSTED RATE_LIMITED or UNAVAILABLE OVERLOADED.
  virtual absl::Status TakeSlot(const grpc::CallbackServerContext& call, const Route& route,
                                const PlayerId& player) = 0;
  // Gives the slot back. Call it once after TakeSlot has returned OK.
  virtual void ReturnSlot(const Route& route, const PlayerId& player) = 0;
  // Call it when a call is over. `stream` is null for a unary call. It is destroyed when this
  // function returns.
  virtual void CallDone(const grpc::CallbackServerContext& call, const PlayerId& player,
                        PlayerStream* stream) = 0;
};

// Deletes itself in OnDone, the last callback of both sides. The inner call is over before the
// outer one is finished.
class ForwardedCall final : public grpc::ServerGenericBidiReactor, public PlayerStream {
 public:
  // The caller must have counted the call as started in `route.server`.
  ForwardedCall(const Route& route, SignedInPlayer player, const rpc::Authenticator& identity,
                Clock& clock, const grpc::CallbackServerContext& context, CallOwner& owner);

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

  // These members belong to the player's side.
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { CancelInner(); }
  void OnDone() override;

  // These members belong to the service's side.
  void StartInner();
  bool StartAsMove();  // Returns false if there is no stream of moves.
  void CancelInner();
  void InnerRead(bool ok);
  void InnerDone(const grpc::Status& status);

  void End(const grpc::Status& status);
  void ReturnSlot();
  grpc::Status Outward(const grpc::Status& inner) const;

  const Route& route_;
  const SignedInPlayer player_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  const grpc::CallbackServerContext& context_;
  CallOwner& owner_;
  const absl::Time start_;
  bool have_request_ = false;
  bool has_slot_ = false;
  std::shared_ptr<UpstreamChannel> channel_;
  grpc::ClientContext inner_context_;
  std::atomic<std::uint64_t> move_ = 0;  // The call's id on the stream of moves, or 0.
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;  // A message on its way from the service to the player.
  Unary unary_{*this};
  Stream stream_{*this};
};

}  // namespace tarot::gateway_service
