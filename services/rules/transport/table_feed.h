// Declares one WatchTables stream. It shows the tables to which one gateway has subscribed. While a
// message is being written, the stream keeps only the newest state of each table for the next
// message.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server_stream.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_state.h"
#include "services/rules/metrics.h"
#include "services/rules/transport/connections.h"
#include "services/rules/transport/table_views.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// One table in a feed. A frame has at least one of these: the newest state of the table, the
// persons who have an open stream of it, and the end of the subscription.
struct FeedFrame {
  TableId table;
  std::shared_ptr<const TableState> state;
  std::optional<std::vector<PlayerId>> connected;
  std::optional<absl::Status> end;
};

// Thread-safe. The object lives until the stream is over and no table has a watcher of this feed.
class TableFeed final : public rpc::ServerBidiStream<grpc::ByteBuffer, grpc::ByteBuffer>,
                        public Connections::Gateway {
 public:
  // Makes the feed. The handler must return the result's get() to gRPC. The arguments must outlive
  // the stream.
  static std::shared_ptr<TableFeed> Open(TableService& tables, TableViews& views,
                                         Connections& connections, rpc::Dispatcher& dispatcher,
                                         Metrics& metrics);

  // If no message was sent since the last tick, sends an empty message, so that the gateway sees
  // that this replica lives. Call this function each second.
  void Tick();

  // Returns true if the gateway has sent a message since the last call.
  bool Heard() { return heard_.exchange(false); }

  void ShowConnected(TableId table, const std::vector<PlayerId>& players) override;

 private:
  class TableWatcher;
  struct Subscription {
    std::shared_ptr<TableWatcher> watcher;
    // Removes the watcher from its table. The function is empty until the watcher has been added to
    // the table.
    std::function<void()> forget;
  };
  struct WaitingFrame {
    FeedFrame frame;
    absl::Time since;
  };

  TableFeed(TableService& tables, TableViews& views, Connections& connections,
            rpc::Dispatcher& dispatcher, Metrics& metrics);

  bool OnRequest(grpc::ByteBuffer& bytes) override;
  void OnRequestsDone() override { Close(absl::OkStatus()); }
  bool MayReadLocked() const override;
  bool TakeLocked() override;
  void Fill(grpc::ByteBuffer& message) override;
  void DropLocked() override;
  void OnWritten() override;
  void OnOver() override;

  // Runs on a worker, one request at a time, because it may have to load tables.
  void Handle(const v1::WatchTablesRequest& request);
  void Refuse(const v1::WatchTablesRequest& request, const absl::Status& status);
  void ReportPresent(const v1::WatchTablesRequest& request);
  void Add(TableId table, int after_revision);
  // Adds `watcher` to its table. The table must exist. Waits for the store if the table is not in
  // memory.
  void Watch(TableId table, int after_revision, const std::shared_ptr<TableWatcher>& watcher);
  // Returns true if the table still has this subscription. Returns false if the gateway has removed
  // or replaced it.
  bool IsSubscribed(TableId table, const std::shared_ptr<TableWatcher>& watcher);
  void Remove(TableId table);

  void Offer(TableId table, std::shared_ptr<const TableState> state);
  void End(TableId table, const absl::Status& status);
  WaitingFrame& FrameOfLocked(TableId table);

  TableService& tables_;
  TableViews& views_;
  Connections& connections_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
  std::atomic<bool> heard_ = false;

  // The members below need mutex(). A thread that holds the mutex of a table or of `connections_`
  // may lock mutex() too. A thread that holds mutex() must lock neither of these.
  absl::flat_hash_map<TableId, Subscription> subscriptions_;
  std::deque<WaitingFrame> waiting_;
  // Number of frames that the feed has taken from `waiting_` since the start.
  std::size_t taken_ = 0;
  // The waiting frame of table t is waiting_[place_[t] - taken_].
  absl::flat_hash_map<TableId, std::size_t> place_;
  std::vector<FeedFrame> batch_;  // The frames in flight.
  // For each frame in flight, the time at which it began to wait.
  std::vector<absl::Time> batch_since_;
  bool empty_message_due_ = false;
  bool wrote_since_tick_ = false;
  bool over_ = false;
};

}  // namespace tarot::rules_service
