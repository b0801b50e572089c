// One call that the gateway forwards. This object is the server of the player's call (outer call)
// and the client of a call to the service (inner call). At most one message is in flight between
// the two calls.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "services/gateway/app/limiters.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

// A stream that a player holds open.
class PlayerStream {
 public:
  virtual ~PlayerStream() = default;
  // Ends the stream with UNAVAILABLE SERVICE_AWAY, so that the player opens another stream at
  // another gateway. Any thread may call this function, but only before CallOwner::CallDone().
  virtual void SendAway() = 0;
  // Ends the stream with `why`, because its token is revoked or its player is banned. Any thread
  // may call this function, but only before CallOwner::CallDone().
  virtual void Refuse(const absl::Status& why) = 0;
};

// Counts the open calls. A call gets a slot only when its request is complete. So calls without a
// complete request take no slots from other players.
class CallOwner {
 public:
  virtual ~CallOwner() = default;
  // ForwardedCall and PlayerWatch call this function when the request is complete. After OK, the
  // call has a slot. If no slot is free, the function returns RESOURCE_EXHAUSTED RATE_LIMITED or
  // UNAVAILABLE OVERLOADED. `cell` comes from Upstream::CellOfRequest().
  virtual absl::Status TakeSlot(const grpc::CallbackServerContext& call, const Route& route,
                                std::optional<int> cell, const SlotHolder& holder) = 0;
  // Gives the slot back. A call with a slot calls this function once, with the same arguments.
  virtual void ReturnSlot(const Route& route, std::optional<int> cell,
                          const SlotHolder& holder) = 0;
  // ForwardedCall and PlayerWatch call this function at the end of the call. `stream` is null for a
  // unary call. The object `stream` is destroyed after this function has returned.
  virtual void CallDone(const grpc::CallbackServerContext& call, const SlotHolder& holder,
                        PlayerStream* stream) = 0;
};

// Deletes itself in the outer OnDone(), which is the last callback of both calls. The inner call
// ends before the outer call.
class ForwardedCall final : public grpc::ServerGenericBidiReactor, public PlayerStream {
 public:
  // The caller must have counted the call as started in `route.server`. `traceparent` comes from
  // Traces::Begin. `region` is the region of this gateway, or empty.
  ForwardedCall(const Route& route, SlotHolder holder, std::string display_name,
                std::string traceparent, const std::string& region,
                const rpc::Authenticator& identity, Clock& clock,
                const grpc::CallbackServerContext& context, CallOwner& owner);

  void SendAway() override { CancelInner(); }
  void Refuse(const absl::Status& why) override;

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

  // These members belong to the outer call.
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { CancelInner(); }
  void OnDone() override;

  // These members belong to the inner call.
  void StartInner();
  bool StartAsMove();  // Returns false if the move must be sent as a unary call.
  void CancelInner();
  void InnerRead(bool ok);
  void InnerDone(const grpc::Status& status);

  // Counts and logs the end of the call.
  void NoteEnd(absl::StatusCode code, const grpc::Status& status);
  void End(const grpc::Status& status);
  void ReturnSlot();
  grpc::Status Outward(const grpc::Status& inner) const;

  const Route& route_;
  const SlotHolder holder_;
  const std::string display_name_;
  const std::string traceparent_;
  const std::string& region_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  const grpc::CallbackServerContext& context_;
  CallOwner& owner_;
  const absl::Time start_;
  absl::Time inner_start_ = absl::InfiniteFuture();
  absl::Duration inner_time_;  // The time from inner_start_ to the end of the inner call.
  // The owner calls Refuse() on one thread at a time. `refusal_` does not change after `refused_`
  // is true.
  grpc::Status refusal_;
  std::atomic<bool> refused_ = false;
  bool have_request_ = false;
  bool has_slot_ = false;
  std::optional<int> cell_;  // The cell whose slot the call has.
  std::shared_ptr<UpstreamChannel> channel_;
  grpc::ClientContext inner_context_;
  // The call's id on the stream of moves; 0 if the call does not use this stream.
  std::atomic<std::uint64_t> move_ = 0;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;  // A message on its way from the service to the player.
  Unary unary_{*this};
  Stream stream_{*this};
};

}  // namespace tarot::gateway_service
