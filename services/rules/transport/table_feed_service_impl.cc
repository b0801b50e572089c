#include "services/rules/transport/table_feed_service_impl.h"

#include <utility>

namespace tarot::rules_service {

void TableFeedServiceImpl::Start() {
  for (const std::shared_ptr<TableFeed>& feed : Feeds()) feed->Tick();
  scheduler_.After(absl::Seconds(1), [this] { Start(); });
}

void TableFeedServiceImpl::EndFeeds() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  for (const std::shared_ptr<TableFeed>& feed : Feeds()) feed->Close(TableRegistry::Ending());
}

std::vector<std::shared_ptr<TableFeed>> TableFeedServiceImpl::Feeds() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<TableFeed>> out;
  std::erase_if(feeds_, [&out](const std::weak_ptr<TableFeed>& weak) {
    std::shared_ptr<TableFeed> feed = weak.lock();
    const bool gone = feed == nullptr;
    if (!gone) out.push_back(std::move(feed));
    return gone;
  });
  return out;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* TableFeedServiceImpl::WatchTables(
    grpc::CallbackServerContext* context) {
  const std::shared_ptr<TableFeed> feed = TableFeed::Open(tables_, dispatcher_, metrics_);
  const absl::StatusOr<rpc::Caller> caller =
      dispatcher_.Authenticate(*context, rpc::Access::kService);
  bool ending = false;
  {
    const std::lock_guard lock(mutex_);
    ending = ending_;
    feeds_.push_back(feed);
  }
  if (!caller.ok()) {
    feed->Close(caller.status());
  } else if (ending) {
    feed->Close(TableRegistry::Ending());
  }
  return feed.get();
}

}  // namespace tarot::rules_service
