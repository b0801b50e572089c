// Gets the list of the replicas of rules from one of the replicas.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/client_stream.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"

namespace tarot::gateway_service {

// Thread-safe. If the replica sends nothing for three seconds or ends the stream, this object asks
// another replica. While no replica answers, the last list stays valid.
class NodeWatch final : public rpc::ClientStream<rules::v1::WatchNodesResponse> {
 public:
  // Gets the addresses of the replicas: at least one, sorted. It is called on threads of gRPC, one
  // call at a time.
  using OnList = std::function<void(std::vector<std::string>)>;

  // Each stream goes to the next address: first to the addresses in `seeds`, then to the replicas
  // of the newest list. All referenced objects must outlive the last call.
  NodeWatch(std::vector<std::string> seeds, OnList on_list, const rpc::Authenticator& identity,
            Scheduler& scheduler, rpc::MethodMetrics calls);

  // Call this function each kTableTick.
  void Tick();
  // Ends the stream for good and waits for its end. Do not call this function on a thread of gRPC.
  void Stop();

 private:
  void BindLocked(grpc::ClientContext& context) override;
  void OnMessage(rules::v1::WatchNodesResponse& response) override;
  std::optional<absl::Duration> OnLost(const grpc::Status& status, int failures) override;

  const std::vector<std::string> seeds_;
  const OnList on_list_;
  const rpc::Authenticator& identity_;

  // The members below need mutex().
  std::size_t turn_ = 0;
  // The addresses in `seeds_`, then the replicas of the newest list.
  std::vector<std::string> targets_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<rules::v1::NodeService::Stub> stub_;
  const rules::v1::WatchNodesRequest request_;
};

}  // namespace tarot::gateway_service
