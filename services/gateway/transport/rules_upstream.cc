#include "services/gateway/transport/rules_upstream.h"

#include <algorithm>
#include <utility>

#include "libs/base/check.h"
#include "libs/cluster/rendezvous.h"
#include "libs/rpc/call.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

RulesUpstream::RulesUpstream(int cell, std::vector<std::string> seeds,
                             const rpc::Authenticator& identity, Clock& clock, Scheduler& scheduler,
                             rpc::CallMetrics& calls, Metrics& metrics)
    : cell_(cell),
      seeds_(std::move(seeds)),
      identity_(identity),
      clock_(clock),
      scheduler_(scheduler),
      metrics_(metrics),
      feed_calls_(calls.Method("tarot.rules.v1.TableFeedService/WatchTables")),
      move_calls_(calls.Method("tarot.rules.v1.TableFeedService/SubmitActions")),
      node_calls_(calls.Method("tarot.rules.v1.NodeService/WatchNodes")) {
  TAROT_CHECK(!seeds_.empty());
}

void RulesUpstream::Start(TableHub& hub) {
  hub_ = &hub;
  SetList(seeds_);
  watch_ = std::make_shared<NodeWatch>(
      seeds_,
      [this](const std::vector<std::string>& list) {
        SetList(list);
        listed_ = true;
      },
      identity_, scheduler_, node_calls_);
  watch_->Open();
}

void RulesUpstream::Stop() {
  if (watch_ == nullptr) return;
  watch_->Stop();
  watch_ = nullptr;
  for (const auto& [address, node] : nodes_) {
    node.feed->Close();
    retired_.push_back(node);
  }
  for (const Node& node : retired_) node.moves->Close();
  for (const Node& node : retired_) {
    node.feed->Wait();
    node.moves->Wait();
  }
}

std::shared_ptr<UpstreamChannel> RulesUpstream::Choose(const grpc::ByteBuffer& request) {
  const std::optional<TableId> table = PeekTable(request);
  const std::lock_guard lock(mutex_);
  if (table) {
    const Node& host = nodes_.at(cluster::HostOf(table->uuid, list_));
    if (!host.feed->silent()) return host.channel;
  }
  // Any replica can forward the call to the table's host. Perhaps another replica reaches the host
  // although this gateway does not.
  for (std::size_t tried = 0; tried < list_.size(); ++tried) {
    const Node& node = nodes_.at(list_[turn_++ % list_.size()]);
    if (!node.feed->silent()) return node.channel;
  }
  return nodes_.at(table ? cluster::HostOf(table->uuid, list_) : list_[0]).channel;
}

bool RulesUpstream::silent() {
  const std::lock_guard lock(mutex_);
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node.second.feed->silent(); });
}

std::shared_ptr<FeedClient> RulesUpstream::FeedOf(const std::string& host) {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(host);
  return found == nodes_.end() ? nullptr : found->second.feed;
}

RulesUpstream::Node RulesUpstream::NewNode(const std::string& address) {
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeServiceChannel("rules", address);
  Node node{.stub = rules::v1::TableFeedService::NewStub(channel)};
  node.moves = std::make_shared<MoveClient>(*node.stub, identity_, clock_, scheduler_, move_calls_);
  node.channel = std::make_shared<UpstreamChannel>(channel, node.moves);
  node.feed = std::make_shared<FeedClient>(address, *node.stub, *hub_, identity_, clock_,
                                           scheduler_, feed_calls_, metrics_);
  return node;
}

void RulesUpstream::SetList(const std::vector<std::string>& list) {
  std::vector<Node> fresh;
  std::vector<Node> gone;
  {
    const std::lock_guard lock(mutex_);
    if (list == list_) return;
    // The gauge counts the replicas of all cells.
    metrics_.rules_nodes.Increment(static_cast<double>(list.size()) -
                                   static_cast<double>(list_.size()));
    list_ = list;
    for (const std::string& address : list) {
      const auto [node, is_new] = nodes_.try_emplace(address);
      if (!is_new) continue;
      node->second = NewNode(address);
      fresh.push_back(node->second);
    }
    std::erase_if(nodes_, [&](auto& node) {
      if (std::find(list.begin(), list.end(), node.first) != list.end()) return false;
      gone.push_back(std::move(node.second));
      return true;
    });
    retired_.insert(retired_.end(), gone.begin(), gone.end());
  }
  hub_->SetHosts(cell_, list);
  for (const Node& node : fresh) {
    node.feed->Open();
    node.moves->Open();
  }
  for (const Node& node : gone) {
    node.feed->Close();
    // A replica that stops normally still answers its open calls. A dead replica does not answer.
    // So the calls that are still open after kLastAnswersTimeout are cancelled.
    node.moves->Leave();
    scheduler_.After(kLastAnswersTimeout, [channel = node.channel] {
      channel->Close();
      channel->moves->Close();
    });
  }
}

void RulesUpstream::Tick() {
  watch_->Tick();
  std::vector<Node> nodes;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, node] : nodes_) nodes.push_back(node);
  }
  for (const Node& node : nodes) {
    node.feed->Tick();
    node.moves->Tick();
  }
  ForgetRetired();
}

void RulesUpstream::ForgetRetired() {
  std::vector<Node> over;  // The nodes in `over` are destroyed after the lock is released.
  const std::lock_guard lock(mutex_);
  std::erase_if(retired_, [&over](Node& node) {
    // A call of a player that still runs also owns the channel, so use_count() is then above 1.
    if (!node.feed->over() || !node.moves->over() || node.channel.use_count() > 1) return false;
    over.push_back(std::move(node));
    return true;
  });
}

}  // namespace tarot::gateway_service
