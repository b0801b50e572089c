// The feed of one replica of rules. It subscribes to the tables that the hub asks for, and gives
// the hub the frames that arrive.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/client_stream.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/limits.h"
#include "services/gateway/metrics.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway_service {

// Thread-safe. If no message comes for three seconds, the feed counts as lost and opens again.
class FeedClient final
    : public rpc::ClientBidiStream<rules::v1::WatchTablesRequest, rules::v1::WatchTablesResponse> {
 public:
  // All referenced objects must outlive the last gRPC call of this stream; see ClientStream::Wait.
  FeedClient(std::string address, rules::v1::TableFeedService::Stub& stub, TableHub& hub,
             const rpc::Authenticator& identity, Clock& clock, Scheduler& scheduler,
             rpc::MethodMetrics calls, Metrics& metrics);

  // Add() and Remove() do nothing while no stream is open. When a stream opens, the hub adds the
  // replica's tables again.
  void Add(TableId table, int after_revision) { Want(table, after_revision); }
  void Remove(TableId table) { Want(table, std::nullopt); }
  // Does nothing while no stream is open. When a stream has opened, the hub makes the report again.
  void ReportPresent(TableId table, const std::vector<PlayerId>& players);
  // Call this function each kTableTick.
  void Tick();

  // Returns true if no stream is open, if the open stream has had no message yet, or if its last
  // message came kDoubtfulTicks ago or earlier. Then the replica may be dead or out of reach, so
  // calls should go to another replica.
  bool silent() const { return !heard() || silent_ticks() >= kDoubtfulTicks; }

 private:
  void BindLocked(grpc::ClientContext& context) override;
  void OnOpen() override { hub_.OnOpen(address_); }
  void OnMessage(rules::v1::WatchTablesResponse& response) override;
  std::optional<absl::Duration> OnLost(const grpc::Status& status, int failures) override;
  Next TakeLocked(rules::v1::WatchTablesRequest& request) override;

  void Show(rules::v1::TableFrame& frame);
  void Want(TableId table, std::optional<int> after_revision);

  const std::string address_;
  rules::v1::TableFeedService::Stub& stub_;
  TableHub& hub_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  Metrics& metrics_;

  // The members below need mutex(). A thread that holds the hub's mutex may lock mutex(). A thread
  // that holds mutex() must not lock the hub's mutex.
  int ticks_ = 0;
  // If true, the next message is sent even if it is empty. An empty message tells the replica that
  // the connection to this gateway works.
  bool empty_message_due_ = false;
  // Changes of subscriptions that are not written yet. The value for a table is the revision after
  // which the hub wants frames; nullopt ends the subscription.
  absl::flat_hash_map<TableId, std::optional<int>> wanted_;
  // The reports of present persons that are not written yet.
  absl::flat_hash_map<TableId, std::vector<PlayerId>> present_;
};

}  // namespace tarot::gateway_service
