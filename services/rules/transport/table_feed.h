// One WatchTables stream: every table that one gateway's players watch. It keeps only the newest
// state of each table while the message before is being written.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server_stream.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"
#include "services/rules/transport/feed_message.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Thread-safe. Lives until the stream is over and no table keeps it as a watcher.
class TableFeed final : public rpc::ServerBidiStream<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Return get() to gRPC. All references outlive the stream.
  static std::shared_ptr<TableFeed> Open(TableService& tables, TableViews& views,
                                         rpc::Dispatcher& dispatcher, Metrics& metrics);

  // Sends an empty message unless another one was sent since the last tick, so that the gateway
  // sees that this replica lives. Call it each second.
  void Tick();

  // Returns true if the gateway has sent a message since the last call.
  bool Heard() { return heard_.exchange(false); }

 private:
  class TableWatcher;
  struct Subscription {
    std::shared_ptr<TableWatcher> watcher;
    std::function<void()> forget;  // Takes the watcher off its table; empty until it is there.
  };
  struct WaitingFrame {
    FeedFrame frame;
    absl::Time since;
  };

  TableFeed(TableService& tables, TableViews& views, rpc::Dispatcher& dispatcher, Metrics& metrics);

  bool OnRequest(grpc::ByteBuffer& bytes) override;
  void OnRequestsDone() override { Close(absl::OkStatus()); }
  bool MayReadLocked() const override;
  bool TakeLocked() override;
  void Fill(grpc::ByteBuffer& message) override;
  void DropLocked() override;
  void OnWritten() override;
  void OnOver() override;

  // Runs on a worker, one request at a time, because tables may have to be loaded.
  void Handle(const v1::WatchTablesRequest& request);
  void Refuse(const v1::WatchTablesRequest& request, const absl::Status& status);
  void Add(TableId table, int after_revision);
  void Remove(TableId table);

  void Offer(TableId table, std::shared_ptr<const TableState> state);
  void End(TableId table, const absl::Status& status);
  WaitingFrame& FrameOfLocked(TableId table);

  TableService& tables_;
  TableViews& views_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
  std::atomic<bool> heard_ = false;

  // The members below need mutex(). A table's own mutex may be held before it, never after.
  absl::flat_hash_map<TableId, Subscription> subscriptions_;
  std::deque<WaitingFrame> waiting_;
  std::size_t taken_ = 0;                            // Frames that have left `waiting_`, ever.
  absl::flat_hash_map<TableId, std::size_t> place_;  // In `waiting_`, counted from the first ever.
  std::vector<FeedFrame> batch_;                     // The frames in flight,
  std::vector<absl::Time> batch_since_;              // and the times at which they came.
  bool empty_message_due_ = false;
  bool wrote_since_tick_ = false;
  bool over_ = false;
};

}  // namespace tarot::rules_service
