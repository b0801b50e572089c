// Defines the open server streams of one method that shows views to watchers, for example
// WatchTicket.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/ids.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/watch_stream.h"
#include "services/matchmaking/app/errors.h"

namespace tarot::matchmaking_service {

// Thread-safe. The object must outlive its streams.
template <typename Response, typename View>
class WatchStreams {
 public:
  using Stream = rpc::WatchStream<Response>;
  using Watcher = std::function<void(const View&)>;
  // Registers a player's watcher. Runs on a worker.
  using Subscribe =
      absl::AnyInvocable<absl::Status(PlayerId, const std::shared_ptr<const Watcher>&)>;
  // Sends a view on a stream, and closes the stream after the last view.
  using Show = void (*)(const View&, Stream&);

  WatchStreams(rpc::Dispatcher& dispatcher, const char* method, Show show)
      : dispatcher_(dispatcher), method_(method), show_(show) {}

  // Opens a stream for a player. `subscribe` is the function that registers the player's watcher.
  // If the request is malformed, `subscribe` is an error.
  rpc::WriteCall<Response>* Open(const grpc::CallbackServerContext& context,
                                 absl::StatusOr<Subscribe> subscribe) {
    const std::shared_ptr<Stream> stream = New();
    const auto watcher = std::make_shared<const Watcher>(
        [stream, show = show_](const View& view) { show(view, *stream); });
    // The stream owns its watcher until the stream ends, because Watchers has only a weak reference
    // to the watcher.
    stream->set_on_done([this, watcher, key = stream.get()] {
      const std::lock_guard lock(mutex_);
      streams_.erase(key);
    });
    Begin(context, std::move(subscribe), stream, watcher);
    return stream.get();
  }

  // Ends every open stream with UNAVAILABLE SHUTTING_DOWN. If a stream opens later, it ends at once
  // with the same status.
  void End() {
    std::vector<std::shared_ptr<Stream>> open;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      for (const auto& [key, stream] : streams_) {
        if (auto alive = stream.lock()) open.push_back(std::move(alive));
      }
    }
    for (const std::shared_ptr<Stream>& stream : open) stream->Close(error::ShuttingDown());
  }

 private:
  std::shared_ptr<Stream> New() {
    auto stream = Stream::Create(dispatcher_.Method(method_));
    const std::lock_guard lock(mutex_);
    streams_[stream.get()] = stream;
    if (ending_) stream->Close(error::ShuttingDown());
    return stream;
  }

  void Begin(const grpc::CallbackServerContext& context, absl::StatusOr<Subscribe> subscribe,
             const std::shared_ptr<Stream>& stream, const std::shared_ptr<const Watcher>& watcher) {
    const absl::StatusOr<rpc::Caller> caller =
        dispatcher_.Authenticate(context, method_, rpc::Access::kPlayer);
    if (!caller.ok()) return stream->Close(caller.status());
    if (!subscribe.ok()) return stream->Close(subscribe.status());
    const bool queued = dispatcher_.workers().TryRun(
        [player = caller->player, subscribe = *std::move(subscribe), stream, watcher]() mutable {
          const absl::Status status = subscribe(player, watcher);
          if (!status.ok()) stream->Close(status);
        });
    if (!queued) stream->Close(error::Overloaded());
  }

  rpc::Dispatcher& dispatcher_;
  const char* const method_;
  const Show show_;
  std::mutex mutex_;
  bool ending_ = false;
  std::map<Stream*, std::weak_ptr<Stream>> streams_;
};

}  // namespace tarot::matchmaking_service
