// Declares TableFeedService, which opens and ends the feeds and the streams of moves.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"
#include "services/rules/transport/move_stream.h"
#include "services/rules/transport/table_feed.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::rules_service {

// The messages of WatchTables are bytes, because a table is encoded once for all streams.
using TableFeedServiceBase = v1::TableFeedService::WithRawCallbackMethod_WatchTables<
    v1::TableFeedService::WithCallbackMethod_SubmitActions<v1::TableFeedService::Service>>;

class TableFeedServiceImpl final : public TableFeedServiceBase {
 public:
  TableFeedServiceImpl(TableService& tables, TableViews& views, MoveStream::Submit submit,
                       rpc::Dispatcher& dispatcher, Scheduler& scheduler, Metrics& metrics)
      : tables_(tables),
        views_(views),
        submit_(std::move(submit)),
        dispatcher_(dispatcher),
        scheduler_(scheduler),
        metrics_(metrics) {}

  // Calls Tick of every feed once a second, until the scheduler is stopped.
  void Start();

  // Returns true if any gateway has sent a message on a feed since the last call.
  bool Heard();

  // Ends every stream with UNAVAILABLE SHUTTING_DOWN. If a stream opens later, it ends at once.
  void EndStreams();

  rpc::BidiCall<grpc::ByteBuffer, grpc::ByteBuffer>* WatchTables(
      grpc::CallbackServerContext* context) override;
  rpc::BidiCall<v1::SubmitActionsRequest, v1::SubmitActionsResponse>* SubmitActions(
      grpc::CallbackServerContext* context) override;

 private:
  // Adds the stream to `streams`. If the caller is not a service or this replica stops, closes the
  // stream.
  template <typename Stream>
  Stream* Keep(const grpc::CallbackServerContext& context, const char* method,
               std::shared_ptr<Stream> stream, std::vector<std::weak_ptr<Stream>>& streams);
  // Removes the streams that have ended from `streams`, and returns the streams that remain.
  template <typename Stream>
  std::vector<std::shared_ptr<Stream>> Living(std::vector<std::weak_ptr<Stream>>& streams);

  TableService& tables_;
  TableViews& views_;
  Connections connections_;  // The feeds use this object, so it outlives the feeds.
  const MoveStream::Submit submit_;
  rpc::Dispatcher& dispatcher_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  std::mutex mutex_;
  bool ending_ = false;
  std::vector<std::weak_ptr<TableFeed>> feeds_;
  std::vector<std::weak_ptr<MoveStream>> moves_;
};

}  // namespace tarot::rules_service
