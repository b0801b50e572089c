// TableFeedService on the wire: opens feeds, keeps them alive, ends them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"
#include "services/rules/transport/table_feed.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

// Frames are bytes, encoded once for all who see them.
using TableFeedServiceBase =
    v1::TableFeedService::WithRawCallbackMethod_WatchTables<v1::TableFeedService::Service>;

class TableFeedServiceImpl final : public TableFeedServiceBase {
 public:
  TableFeedServiceImpl(TableService& tables, rpc::Dispatcher& dispatcher, Scheduler& scheduler,
                       Metrics& metrics)
      : tables_(tables), dispatcher_(dispatcher), scheduler_(scheduler), metrics_(metrics) {}

  // Sends signs of life, until the scheduler is stopped.
  void Start();

  // Ends every feed, also those still to come, with UNAVAILABLE SHUTTING_DOWN.
  void EndFeeds();

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* WatchTables(
      grpc::CallbackServerContext* context) override;

 private:
  std::vector<std::shared_ptr<TableFeed>> Feeds();

  TableService& tables_;
  rpc::Dispatcher& dispatcher_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  std::mutex mutex_;
  bool ending_ = false;
  std::vector<std::weak_ptr<TableFeed>> feeds_;
};

}  // namespace tarot::rules_service
