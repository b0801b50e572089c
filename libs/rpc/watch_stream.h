// Defines a server stream that sends the latest value. A newer value replaces a value that waits,
// so a slow client does not make the server use more memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/rpc/server_stream.h"

namespace tarot::rpc {

// Thread-safe. Only tests use a fake `Reactor`.
template <typename Response, typename Reactor = WriteCall<Response>>
class WatchStream final : public ServerStream<Reactor, Response> {
 public:
  // Makes the stream for a request that gRPC has read. The handler returns get() of the result to
  // gRPC.
  static std::shared_ptr<WatchStream> Create(MethodMetrics metrics) {
    const std::shared_ptr<WatchStream> stream(new WatchStream(std::move(metrics)));
    stream->Begin();
    stream->metrics().MessageReceived();
    return stream;
  }

  // `on_done` runs once, without a lock, when the stream is over. Then the server can forget the
  // stream. Call set_on_done before the handler returns.
  void set_on_done(absl::AnyInvocable<void()> on_done) { on_done_ = std::move(on_done); }

  // Sends `response` as soon as no write is in flight. If an earlier response still waits,
  // `response` replaces it.
  void Offer(Response response) {
    {
      const std::lock_guard lock(this->mutex());
      if (this->closing_locked()) return;
      waiting_ = std::move(response);
    }
    this->Advance();
  }

 private:
  explicit WatchStream(MethodMetrics metrics)
      : ServerStream<Reactor, Response>(std::move(metrics)) {}

  bool TakeLocked() override {
    if (!waiting_) return false;
    taken_ = std::exchange(waiting_, std::nullopt);
    return true;
  }
  void Fill(Response& response) override { response = *std::move(taken_); }
  void DropLocked() override { waiting_.reset(); }
  void OnOver() override {
    if (on_done_) std::exchange(on_done_, nullptr)();
  }

  absl::AnyInvocable<void()> on_done_;
  std::optional<Response> waiting_;
  std::optional<Response> taken_;
};

}  // namespace tarot::rpc
