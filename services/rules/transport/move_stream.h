// One SubmitActions stream: the moves of one gateway's players, each answered by itself.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Thread-safe. Keeps itself alive until the stream and its last move are over.
class MoveStream final
    : public grpc::ServerBidiReactor<v1::SubmitActionsRequest, v1::SubmitActionsResponse>,
      public std::enable_shared_from_this<MoveStream> {
 public:
  // Answers a SubmitAction, on a worker, as TableServiceImpl::Submit.
  using Submit = std::function<void(const HostRouter::Call&, rpc::Dispatcher::Finish)>;

  // Give it to gRPC. `submit` and `dispatcher` outlive the last move.
  static std::shared_ptr<MoveStream> Open(const Submit& submit, rpc::Dispatcher& dispatcher);

  // Reads no more, and ends the stream when what it has read is answered.
  void Close(const absl::Status& status);

 private:
  struct Move;

  MoveStream(const Submit& submit, rpc::Dispatcher& dispatcher);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void Start(v1::PlayerCall& call);
  void Answer(Move& move, const absl::Status& status);

  // Both need mutex_: start what may be started.
  void Read();
  void Write();

  const Submit& submit_;
  rpc::Dispatcher& dispatcher_;
  const rpc::MethodMetrics calls_;
  const absl::Time start_;
  std::shared_ptr<MoveStream> self_;

  std::mutex mutex_;
  int in_flight_ = 0;
  std::vector<v1::CallAnswer> answers_;  // Not yet written.
  bool reading_ = false;
  bool writing_ = false;
  bool lost_ = false;  // The gateway is gone: nobody wants the answers.
  bool finished_ = false;
  std::optional<absl::Status> closing_;
  v1::SubmitActionsRequest request_;
  v1::SubmitActionsResponse response_;
};

}  // namespace tarot::rules_service
