// The moves of all players to one replica of rules, on one stream: moves that wait share a message.
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

// Thread-safe. Moves may start when the replica's first message has come.
class MoveClient final : public rpc::ClientBidiStream<rules::v1::SubmitActionsRequest,
                                                      rules::v1::SubmitActionsResponse> {
 public:
  // Gets the replica's status and a SubmitActionResponse. UNAVAILABLE without details: the stream
  // was lost, and the move may or may not have been played.
  using Done = absl::AnyInvocable<void(const grpc::Status&, grpc::ByteBuffer)>;

  // All references outlive the last call.
  MoveClient(rules::v1::TableFeedService::Stub& stub, const rpc::Authenticator& identity,
             Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls);

  // Returns an id for a call to start, or 0 if there is no stream to send it on.
  std::uint64_t NewCall();
  // Calls SubmitAction as `player`. `traceparent` may be empty. `done` runs once, on any thread,
  // perhaps before Start returns.
  void Start(std::uint64_t call, const PlayerId& player, const grpc::ByteBuffer& request,
             std::string traceparent, absl::Duration timeout, Done done);
  // The player waits no more: `done` gets CANCELLED now, unless it has run. A move that has been
  // sent is not taken back.
  void Cancel(std::uint64_t call);

  // Ends calls that have waited too long. Call it each TableHub::kTick.
  void Tick();

  // Takes no new calls, and writes no more; the replica answers the calls that it has. Close ends
  // the stream.
  void Leave();

 private:
  struct PendingMove {
    rules::v1::PlayerCall call;  // Empty when it has been written.
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
  std::deque<std::uint64_t> unwritten_;  // Some of these calls may be over.
};

}  // namespace tarot::gateway_service
