// Which replicas of rules there are, as one of them tells; another is asked when that one falls
// silent. Who answers nobody changes nothing: the last list holds.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"

namespace tarot::gateway {

// Thread-safe. Owned by a shared_ptr; what it is given outlives its last call.
class NodeWatch final : public grpc::ClientReadReactor<rules::v1::WatchNodesResponse>,
                        public std::enable_shared_from_this<NodeWatch> {
 public:
  // One at a time, on a thread of gRPC; never empty.
  using OnList = std::function<void(std::vector<std::string>)>;

  // Asks `seeds`, and whom they name.
  NodeWatch(std::vector<std::string> seeds, OnList on_list, const rpc::Authenticator& inward,
            Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls);

  void Open();
  // Call it each TableHub::kTick.
  void Tick();
  // For good; waits for the call that runs. Not on a thread of gRPC.
  void Close();

 private:
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  const std::vector<std::string> seeds_;
  const OnList on_list_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  Scheduler& scheduler_;
  const rpc::MethodMetrics calls_;

  std::condition_variable done_;
  std::mutex mutex_;
  std::shared_ptr<NodeWatch> self_;  // Set while a call runs.
  bool closed_ = false;
  std::size_t turn_ = 0;             // Of whom to ask.
  std::vector<std::string> to_ask_;  // The seeds, then those of the last list.
  absl::Time start_;
  int silent_ticks_ = 0;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<rules::v1::NodeService::Stub> stub_;
  std::optional<grpc::ClientContext> context_;
  const rules::v1::WatchNodesRequest request_;
  rules::v1::WatchNodesResponse response_;
};

}  // namespace tarot::gateway
