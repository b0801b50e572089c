#include "services/rules/transport/table_feed_service.h"

#include <utility>

#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

void TableFeedServiceImpl::Start() {
  for (const std::shared_ptr<TableFeed>& feed : Living(feeds_)) feed->Tick();
  scheduler_.After(kFeedTick, [this] { Start(); });
}

bool TableFeedServiceImpl::Heard() {
  bool heard = false;
  for (const std::shared_ptr<TableFeed>& feed : Living(feeds_)) heard = feed->Heard() || heard;
  return heard;
}

void TableFeedServiceImpl::EndStreams() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  for (const auto& feed : Living(feeds_)) feed->Close(ShuttingDown());
  for (const auto& moves : Living(moves_)) moves->Close(ShuttingDown());
}

template <typename Stream>
std::vector<std::shared_ptr<Stream>> TableFeedServiceImpl::Living(
    std::vector<std::weak_ptr<Stream>>& streams) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> out;
  std::erase_if(streams, [&out](const std::weak_ptr<Stream>& weak) {
    std::shared_ptr<Stream> stream = weak.lock();
    const bool gone = stream == nullptr;
    if (!gone) out.push_back(std::move(stream));
    return gone;
  });
  return out;
}

template <typename Stream>
Stream* TableFeedServiceImpl::Keep(const grpc::CallbackServerContext& context, const char* method,
                                   std::shared_ptr<Stream> stream,
                                   std::vector<std::weak_ptr<Stream>>& streams) {
  const absl::StatusOr<rpc::Caller> caller =
      dispatcher_.Authenticate(context, method, rpc::Access::kService);
  bool ending = false;
  {
    const std::lock_guard lock(mutex_);
    ending = ending_;
    std::erase_if(streams, [](const std::weak_ptr<Stream>& weak) { return weak.expired(); });
    streams.push_back(stream);
  }
  if (!caller.ok()) {
    stream->Close(caller.status());
  } else if (ending) {
    stream->Close(ShuttingDown());
  }
  return stream.get();
}

rpc::BidiCall<grpc::ByteBuffer, grpc::ByteBuffer>* TableFeedServiceImpl::WatchTables(
    grpc::CallbackServerContext* context) {
  return Keep(*context, "tarot.rules.v1.TableFeedService/WatchTables",
              TableFeed::Open(tables_, views_, connections_, dispatcher_, metrics_), feeds_);
}

rpc::BidiCall<v1::SubmitActionsRequest, v1::SubmitActionsResponse>*
TableFeedServiceImpl::SubmitActions(grpc::CallbackServerContext* context) {
  return Keep(*context, "tarot.rules.v1.TableFeedService/SubmitActions",
              MoveStream::Open(submit_, dispatcher_), moves_);
}

}  // namespace tarot::rules_service
