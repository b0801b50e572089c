// Knows the replicas of rules of one cell, has a feed and a stream of moves to each, and chooses
// the replica that gets a call.
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
#include "services/gateway/transport/upstream.h"

namespace tarot::gateway_service {

// Thread-safe. Until a replica has sent a list, the list consists of the addresses in `seeds`.
class RulesUpstream {
 public:
  // `seeds` are addresses host:port of replicas of `cell`, at least one.
  RulesUpstream(int cell, std::vector<std::string> seeds, const rpc::Authenticator& identity,
                Clock& clock, Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics);

  // Opens the streams, and gets new lists from now on. Call this function before the first
  // Choose(). `hub` must live until Stop() has returned.
  void Start(TableHub& hub);
  // Call this function each kTableTick.
  void Tick();
  // Closes the streams and waits until they are over. Stop the scheduler first. Idempotent.
  void Stop();

  // Returns whether a replica has sent a list.
  bool listed() const { return listed_; }
  // Returns whether all replicas of the list are silent (feed_client.h).
  bool silent();

  // If the request names a table and the table's host is not silent, returns the channel to the
  // host. Otherwise returns the channel to the next replica of the list that is not silent. If all
  // are silent, returns the channel to the host, or to the first replica of the list if the request
  // names no table. If a replica leaves the list, its calls in flight are cancelled after
  // kLastAnswersTimeout.
  std::shared_ptr<UpstreamChannel> Choose(const grpc::ByteBuffer& request);

  // Returns the feed of the replica at this address, or null.
  std::shared_ptr<FeedClient> FeedOf(const std::string& host);

 private:
  // The connection to one replica. After the replica has left the list, `retired_` keeps its node
  // until the streams and calls are over. Without `retired_`, a thread of gRPC could be the last
  // owner of a channel, and would wait for itself.
  struct Node {
    std::shared_ptr<UpstreamChannel> channel;
    std::shared_ptr<rules::v1::TableFeedService::Stub> stub;
    std::shared_ptr<FeedClient> feed;
    std::shared_ptr<MoveClient> moves;
  };

  // Only one thread at a time may call this function.
  void SetList(const std::vector<std::string>& list);
  Node NewNode(const std::string& address);
  void ForgetRetired();

  const int cell_;
  const std::vector<std::string> seeds_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const rpc::MethodMetrics feed_calls_;
  const rpc::MethodMetrics move_calls_;
  const rpc::MethodMetrics node_calls_;
  TableHub* hub_ = nullptr;
  std::shared_ptr<NodeWatch> watch_;
  std::atomic<std::size_t> turn_ = 0;
  std::atomic<bool> listed_ = false;

  std::mutex mutex_;
  std::vector<std::string> list_;
  std::map<std::string, Node> nodes_;
  std::vector<Node> retired_;  // See Node.
};

}  // namespace tarot::gateway_service
