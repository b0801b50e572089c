// The feed of one replica of rules: what the hub wants of it, and what it shows. Opens again by
// itself after a loss; silence of three seconds is one.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway {

// Thread-safe. Owned by a shared_ptr; `hub` and what else it is given outlive its last call.
class FeedClient final
    : public grpc::ClientBidiReactor<rules::v1::WatchTablesRequest, rules::v1::WatchTablesResponse>,
      public std::enable_shared_from_this<FeedClient> {
 public:
  FeedClient(std::string address, rules::v1::TableFeedService::Stub& stub, TableHub& hub,
             const rpc::Authenticator& inward, Clock& clock, Scheduler& scheduler,
             rpc::MethodMetrics calls, Metrics& metrics);

  void Open();
  // What is asked for while no stream is open is asked again by the hub when one is.
  void Add(TableId table, int after_revision);
  void Remove(TableId table);
  // Call it each TableHub::kTick.
  void Tick();

  // No sign of life has come for two seconds, or none at all: the replica may be gone, or cut off
  // from here, and calls had better go another way.
  bool silent() const { return !heard_ || silent_ticks_ >= kDoubtTicks; }

  // For good. Does not wait.
  void Close();
  bool over();  // No call runs any more, and none will.
  void Wait();  // Until then.

 private:
  static constexpr int kDoubtTicks = 4;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  void Show(rules::v1::TableFrame& frame);
  void Want(TableId table, std::optional<int> after_revision);
  void Write();  // What is wanted, if anything is. Needs mutex_, as Send.
  void Send();

  const std::string address_;
  rules::v1::TableFeedService::Stub& stub_;
  TableHub& hub_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  Scheduler& scheduler_;
  const rpc::MethodMetrics calls_;
  Metrics& metrics_;

  std::condition_variable done_;
  std::mutex mutex_;                  // The hub's lock may be held before it, never after.
  std::shared_ptr<FeedClient> self_;  // Set while a call runs.
  bool open_ = false;
  bool closed_ = false;
  bool writing_ = false;
  int ticks_ = 0;
  absl::Time start_;
  std::atomic<bool> heard_ = false;  // On the stream that is open.
  std::atomic<int> silent_ticks_ = 0;
  std::optional<grpc::ClientContext> context_;
  // Not yet written, by table: from which revision on it is wanted, or nothing of it.
  absl::flat_hash_map<TableId, std::optional<int>> wanted_;
  rules::v1::WatchTablesRequest request_;
  rules::v1::WatchTablesResponse response_;
};

}  // namespace tarot::gateway
