// Declares one SubmitActions stream. It carries the moves of one gateway's players, and each move
// gets its own answer.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <vector>

#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server_stream.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Thread-safe. The object lives until the stream and its last move are over.
class MoveStream final
    : public rpc::ServerBidiStream<v1::SubmitActionsRequest, v1::SubmitActionsResponse> {
 public:
  // A function that answers a SubmitAction without a wait, as GrpcTableService::Submit does.
  using Submit = std::function<void(const HostRouter::Call&, rpc::Dispatcher::Finish)>;

  // Makes the stream. The handler must return the result's get() to gRPC. `submit` and `dispatcher`
  // must outlive the last move. Close ends the stream only when all moves that were read have got
  // their answers.
  static std::shared_ptr<MoveStream> Open(const Submit& submit, rpc::Dispatcher& dispatcher);

 private:
  struct Move;

  MoveStream(const Submit& submit, rpc::Dispatcher& dispatcher);

  bool OnRequest(v1::SubmitActionsRequest& request) override;
  void OnRequestsDone() override { Close(absl::OkStatus()); }
  bool MayReadLocked() const override;
  bool TakeLocked() override;
  void Fill(v1::SubmitActionsResponse& response) override;
  void DropLocked() override { answers_.clear(); }
  bool MayEndLocked() override { return in_flight_ == 0; }

  void Start(v1::PlayerCall& call);
  void Answer(Move& move, const absl::Status& status);

  const Submit& submit_;
  rpc::Dispatcher& dispatcher_;

  // The members below need mutex().

  // True after the first message was sent. This message is empty, and the gateway sends moves only
  // after it.
  bool hello_sent_ = false;
  int in_flight_ = 0;
  std::vector<v1::CallAnswer> answers_;  // Answers that are not yet written.
  std::vector<v1::CallAnswer> batch_;    // Answers in flight.
};

}  // namespace tarot::rules_service
