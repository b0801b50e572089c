// Declares NodeService. It sends gateways the list of the replicas of rules, and drains this
// replica for operators.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "libs/cluster/membership.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/watch_stream.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Thread-safe. The object must outlive the server, and so every stream.
class NodeServiceImpl final : public v1::NodeService::CallbackService {
 public:
  // A function that drains this replica or ends its drain, and fills the response.
  using Drain = std::function<absl::Status(bool draining, v1::SetDrainingResponse* response)>;

  NodeServiceImpl(rpc::Dispatcher& dispatcher, Drain drain)
      : dispatcher_(dispatcher), drain_(std::move(drain)) {}

  rpc::WriteCall<v1::WatchNodesResponse>* WatchNodes(grpc::CallbackServerContext* context,
                                                     const v1::WatchNodesRequest* request) override;

  grpc::ServerUnaryReactor* SetDraining(grpc::CallbackServerContext* context,
                                        const v1::SetDrainingRequest* request,
                                        v1::SetDrainingResponse* response) override;

  // Sends the list to every connected gateway, and later to each gateway that connects. Call this
  // function after each heartbeat: a gateway that gets no message asks another replica.
  void Show(const cluster::NodeList& nodes);

  // Ends every stream, because this replica has left the list. If a stream opens later, it ends at
  // once.
  void EndStreams();

 private:
  using Stream = rpc::WatchStream<v1::WatchNodesResponse>;

  rpc::Dispatcher& dispatcher_;
  const Drain drain_;
  std::mutex mutex_;  // Guards the members below. Do not hold it while calling a stream.
  v1::WatchNodesResponse newest_;
  std::set<std::shared_ptr<Stream>> streams_;
  bool ended_ = false;
};

}  // namespace tarot::rules_service
