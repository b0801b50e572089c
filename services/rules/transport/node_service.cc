#include "services/rules/transport/node_service.h"

#include <utility>

namespace tarot::rules_service {
namespace {

constexpr char kWatchNodes[] = "tarot.rules.v1.NodeService/WatchNodes";

}  // namespace

rpc::WriteCall<v1::WatchNodesResponse>* NodeServiceImpl::WatchNodes(
    grpc::CallbackServerContext* context, const v1::WatchNodesRequest*) {
  const std::shared_ptr<Stream> stream = Stream::Create(dispatcher_.Method(kWatchNodes));
  const absl::StatusOr<rpc::Caller> caller =
      dispatcher_.Authenticate(*context, kWatchNodes, rpc::Access::kService);
  if (!caller.ok()) {
    stream->Close(caller.status());
    return stream.get();
  }
  stream->set_on_done([this, weak = std::weak_ptr<Stream>(stream)] {
    const std::lock_guard lock(mutex_);
    streams_.erase(weak.lock());
  });
  v1::WatchNodesResponse newest;
  bool ended = false;
  {
    const std::lock_guard lock(mutex_);
    newest = newest_;
    ended = ended_;
    if (!ended) streams_.insert(stream);
  }
  if (newest.nodes_size() > 0) stream->Offer(std::move(newest));
  if (ended) stream->Close(absl::OkStatus());
  return stream.get();
}

grpc::ServerUnaryReactor* NodeServiceImpl::SetDraining(grpc::CallbackServerContext* context,
                                                       const v1::SetDrainingRequest* request,
                                                       v1::SetDrainingResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.NodeService/SetDraining", rpc::Access::kService,
      [=, this](const rpc::Caller&) { return drain_(request->draining(), response); });
}

void NodeServiceImpl::Show(const cluster::NodeList& nodes) {
  v1::WatchNodesResponse response;
  for (const std::string& address : nodes) response.add_nodes()->set_address(address);
  std::set<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    newest_ = response;
    streams = streams_;
  }
  for (const std::shared_ptr<Stream>& stream : streams) stream->Offer(response);
}

void NodeServiceImpl::EndStreams() {
  std::set<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    streams = streams_;
  }
  for (const std::shared_ptr<Stream>& stream : streams) stream->Close(absl::OkStatus());
}

}  // namespace tarot::rules_service
