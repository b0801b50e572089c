// One WatchTables stream: every table that one gateway's players look at. Keeps of each table the
// newest state only, until the message in flight has been written.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"
#include "services/rules/transport/feed_message.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Thread-safe. Keeps itself alive until the stream is over, and its tables keep it as a watcher.
class TableFeed final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                        public std::enable_shared_from_this<TableFeed> {
 public:
  // Give it to gRPC. `tables`, `dispatcher` and `metrics` outlive the stream.
  static std::shared_ptr<TableFeed> Open(TableService& tables, TableViews& views,
                                         rpc::Dispatcher& dispatcher, Metrics& metrics);

  // Shows that this replica lives, unless a message does already. Call it each second.
  void Tick();

  // Whether the gateway has said anything since the last time.
  bool Heard() { return heard_.exchange(false); }

  // Ends the stream after what waits has been written.
  void Close(const absl::Status& status);

 private:
  class TableWatcher;
  struct Subscription {
    std::shared_ptr<TableWatcher> watcher;
    std::function<void()> forget;  // Takes the watcher off its table; empty until it is there.
  };
  struct Waiting {
    FeedFrame frame;
    absl::Time since;
  };

  TableFeed(TableService& tables, TableViews& views, rpc::Dispatcher& dispatcher, Metrics& metrics);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // On a worker, one request at a time: tables may have to be loaded.
  void Handle(const v1::WatchTablesRequest& request);
  void Refuse(const v1::WatchTablesRequest& request, const absl::Status& status);
  void Add(TableId table, int after_revision);
  void Remove(TableId table);

  void Offer(TableId table, std::shared_ptr<const TableState> state);
  void End(TableId table, const absl::Status& status);
  Waiting& WaitingOf(TableId table);  // Needs mutex_.

  // Starts what may be started: a write, the next read, the end.
  void Advance();
  void ReadNext();                     // Needs mutex_.
  std::vector<FeedFrame> TakeBatch();  // Needs mutex_.

  TableService& tables_;
  TableViews& views_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
  const rpc::MethodMetrics calls_;
  const absl::Time start_;
  std::shared_ptr<TableFeed> self_;
  std::atomic<bool> heard_ = false;

  std::mutex mutex_;  // Guards all below; a table's own mutex may be held before it, never after.
  absl::flat_hash_map<TableId, Subscription> subscriptions_;
  std::deque<Waiting> waiting_;
  std::size_t taken_ = 0;                            // From the front of `waiting_`, ever.
  absl::flat_hash_map<TableId, std::size_t> place_;  // In `waiting_`, counted from the first ever.
  std::vector<absl::Time> writing_since_;            // Of the frames in flight.
  bool writing_ = false;
  bool read_wanted_ = true;  // The request before has been dealt with.
  bool wrote_since_tick_ = false;
  bool finished_ = false;
  bool done_ = false;
  std::optional<absl::Status> closing_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;
};

}  // namespace tarot::rules_service
