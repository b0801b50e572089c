// The replicas of rules, as they come and go: which of them a call about a table goes to, their
// feeds, and their streams of moves.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/feed_client.h"
#include "services/gateway/transport/move_client.h"
#include "services/gateway/transport/node_watch.h"
#include "services/gateway/transport/peer.h"

namespace tarot::gateway {

// Thread-safe. Until a replica has told who there is, the seeds are the list.
class RulesNodes final : public Peer, public TableFeeds {
 public:
  // `seeds`: host:port, at least one.
  RulesNodes(std::vector<std::string> seeds, const rpc::Authenticator& inward, Clock& clock,
             Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics);

  // Opens the streams, and follows the list. `hub` outlives the last call; see Stop. Before the
  // first Choose.
  void Start(TableHub& hub);
  // Closes them and waits. The scheduler has been stopped. Idempotent.
  void Stop();

  const std::string& name() const override { return name_; }
  // The host of the table that the request names; any replica, in turn, when it names none. What is
  // in flight to a replica that leaves the list is cancelled.
  std::shared_ptr<Way> Choose(const grpc::ByteBuffer& request) override;

  void Add(const std::string& host, TableId table, int after_revision) override;
  void Remove(const std::string& host, TableId table) override;

 private:
  // Must be gone last: no thread of gRPC may be the last owner of a channel.
  struct Node {
    std::shared_ptr<Way> way;
    std::shared_ptr<rules::v1::TableFeedService::Stub> stub;
    std::shared_ptr<FeedClient> feed;
    std::shared_ptr<MoveClient> moves;
  };

  void SetList(const std::vector<std::string>& list);  // One at a time.
  Node NewNode(const std::string& address);
  std::shared_ptr<FeedClient> FeedOf(const std::string& host);
  void Tick();
  void ForgetRetired();

  const std::string name_ = "rules";
  const std::vector<std::string> seeds_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const rpc::MethodMetrics feed_calls_;
  const rpc::MethodMetrics move_calls_;
  const rpc::MethodMetrics node_calls_;
  TableHub* hub_ = nullptr;
  std::shared_ptr<NodeWatch> watch_;
  std::atomic<std::size_t> turn_ = 0;

  std::mutex mutex_;
  std::vector<std::string> list_;
  std::map<std::string, Node> nodes_;
  std::vector<Node> retired_;  // Until their last call is over.
};

}  // namespace tarot::gateway
