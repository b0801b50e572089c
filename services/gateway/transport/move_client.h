// Sends the moves of all players to one replica of rules, on one stream. Moves that wait for the
// stream share a message.
#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/client_stream.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway_service {

// Thread-safe. NewCall() returns 0 until the replica's first message has come.
class MoveClient final : public rpc::ClientBidiStream<rules::v1::SubmitActionsRequest,
                                                      rules::v1::SubmitActionsResponse> {
 public:
  // Gets the status of the move and, after OK, the bytes of a SubmitActionResponse. UNAVAILABLE
  // without details means that the stream was lost. In this case the gateway does not know whether
  // the rules service has played the move.
  using Done = absl::AnyInvocable<void(const grpc::Status&, grpc::ByteBuffer)>;

  // All referenced objects must outlive the last gRPC call of this stream; see ClientStream::Wait.
  MoveClient(rules::v1::TableFeedService::Stub& stub, const rpc::Authenticator& identity,
             Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls);

  // Returns an id for Start(), or 0 if the replica takes no moves on a stream now.
  std::uint64_t NewCall();
  // Sends `request`, a SubmitActionRequest of `player`. `call` comes from NewCall(). `traceparent`
  // may be empty. `done` is called once, on any thread, perhaps before Start() returns.
  void Start(std::uint64_t call, const PlayerId& player, const grpc::ByteBuffer& request,
             std::string traceparent, absl::Duration timeout, Done done);
  // Call this function when the player does not wait for the move any more. `done` gets CANCELLED,
  // if it has not been called yet. If the move has been sent, the rules service may still play it.
  void Cancel(std::uint64_t call);

  // Ends the calls whose timeout has passed. Call this function each kTableTick.
  void Tick();

  // Call this function when the replica has left the list. NewCall() then returns 0. The stream
  // sends the moves that wait, gets its last answers, and does not open again.
  void Leave();

 private:
  struct PendingMove {
    rules::v1::PlayerCall call;  // The move; empty after the stream has written it.
    absl::Time expire_time;
    Done done;
  };

  void BindLocked(grpc::ClientContext& context) override;
  void OnMessage(rules::v1::SubmitActionsResponse& response) override;
  std::optional<absl::Duration> OnLost(const grpc::Status& status, int failures) override;
  Next TakeLocked(rules::v1::SubmitActionsRequest& request) override;

  std::optional<PendingMove> Take(std::uint64_t call);

  rules::v1::TableFeedService::Stub& stub_;
  const rpc::Authenticator& identity_;
  Clock& clock_;

  // The members below need mutex().
  bool leaving_ = false;
  std::uint64_t last_call_ = 0;
  absl::flat_hash_map<std::uint64_t, PendingMove> pending_;
  // The ids of the calls that are not written yet, in the order of Start(). Some of these calls may
  // have ended already.
  std::deque<std::uint64_t> unwritten_;
};

}  // namespace tarot::gateway_service
