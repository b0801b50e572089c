// The moves of all players to one replica of rules, over one stream: those that wait share a
// message. Opens again by itself after a loss.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway {

// Thread-safe. Owned by a shared_ptr; what it is given outlives its last call.
class MoveClient final : public grpc::ClientBidiReactor<rules::v1::SubmitActionsRequest,
                                                        rules::v1::SubmitActionsResponse>,
                         public std::enable_shared_from_this<MoveClient> {
 public:
  // Gets the replica's status and a SubmitActionResponse; UNAVAILABLE without details when the
  // stream was lost: nobody knows what became of the call.
  using Done = absl::AnyInvocable<void(const grpc::Status&, grpc::ByteBuffer)>;

  MoveClient(rules::v1::TableFeedService::Stub& stub, const rpc::Authenticator& inward,
             Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls);

  void Open();

  // A name for a call to start; 0 when there is no stream to send it on.
  std::uint64_t NewCall();
  // Calls SubmitAction as `player`. `traceparent` may be empty. `done` runs once, on any thread,
  // perhaps at once.
  void Start(std::uint64_t call, const PlayerId& player, const grpc::ByteBuffer& request,
             std::string traceparent, absl::Duration timeout, Done done);
  // Nobody waits any more: `done` gets CANCELLED, now, unless it has run. A call that is on its way
  // is not called back: it ends in the log or not, as one whose answer was lost.
  void Cancel(std::uint64_t call);

  // Ends what has waited for too long. Call it each TableHub::kTick.
  void Tick();

  // Takes no new calls, and writes no more; the replica answers what it has. Does not wait.
  void Leave();
  // For good. Does not wait.
  void Close();
  bool over();  // No stream is open any more, and none will be.
  void Wait();  // Until then.

 private:
  struct Pending {
    rules::v1::PlayerCall call;  // Empty when it has been written.
    absl::Time expire_time;
    Done done;
  };

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  void Write();  // Needs mutex_.
  std::optional<Pending> Take(std::uint64_t call);

  rules::v1::TableFeedService::Stub& stub_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  Scheduler& scheduler_;
  const rpc::MethodMetrics calls_;

  std::condition_variable done_;
  std::mutex mutex_;
  std::shared_ptr<MoveClient> self_;  // Set while a stream runs.
  bool open_ = false;                 // The replica has said that it reads.
  bool writing_ = false;
  bool leaving_ = false;
  bool left_ = false;  // The stream knows.
  bool closed_ = false;
  absl::Time start_;
  std::uint64_t last_call_ = 0;
  std::optional<grpc::ClientContext> context_;
  absl::flat_hash_map<std::uint64_t, Pending> pending_;
  std::deque<std::uint64_t> unwritten_;  // Some of them may be over.
  rules::v1::SubmitActionsRequest request_;
  rules::v1::SubmitActionsResponse response_;
};

}  // namespace tarot::gateway
