#include "services/gateway/transport/node_watch.h"

#include <algorithm>
#include <utility>

#include "libs/rpc/call.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

NodeWatch::NodeWatch(std::vector<std::string> seeds, OnList on_list,
                     const rpc::Authenticator& identity, Scheduler& scheduler,
                     rpc::MethodMetrics calls)
    : ClientStream(scheduler, std::move(calls)),
      seeds_(std::move(seeds)),
      on_list_(std::move(on_list)),
      identity_(identity),
      targets_(seeds_) {}

void NodeWatch::BindLocked(grpc::ClientContext& context) {
  channel_ = rpc::MakeServiceChannel("rules", targets_[turn_++ % targets_.size()]);
  stub_ = rules::v1::NodeService::NewStub(channel_);
  identity_.Sign(context, Caller{.service = "gateway"});
  metrics()->MessageSent();
  stub_->async()->WatchNodes(&context, &request_, this);
}

void NodeWatch::OnMessage(rules::v1::WatchNodesResponse& response) {
  std::vector<std::string> list;
  for (const rules::v1::Node& node : response.nodes()) list.push_back(node.address());
  if (list.empty()) return;
  std::sort(list.begin(), list.end());
  {
    const std::lock_guard lock(mutex());
    targets_ = seeds_;
    targets_.insert(targets_.end(), list.begin(), list.end());
  }
  on_list_(std::move(list));
}

std::optional<absl::Duration> NodeWatch::OnLost(const grpc::Status&, int) { return kReopenDelay; }

void NodeWatch::Tick() {
  const std::lock_guard lock(mutex());
  TickLocked(kSilentTicksMax);
}

void NodeWatch::Stop() {
  Close();
  Wait();
  // A thread of gRPC must not be the last owner of a channel, because it would wait for itself. So
  // the channel and the stub are destroyed here.
  std::unique_ptr<rules::v1::NodeService::Stub> stub;
  std::shared_ptr<grpc::Channel> channel;
  const std::lock_guard lock(mutex());
  stub = std::move(stub_);
  channel = std::move(channel_);
}

}  // namespace tarot::gateway_service
