// A server stream that shows the latest state: one write in flight, newer replaces older, so a slow
// client can never hold memory.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "libs/base/clock.h"
#include "libs/rpc/call_metrics.h"
#include "libs/status/wire.h"

namespace tarot::rpc {

// Create() it in the handler and return its get() to gRPC. Until OnDone it keeps itself alive; the
// handler's shared_ptr may be kept for longer (by a worker, by a list of watchers): Offer and Close
// do nothing after the end, and are thread-safe always.
template <typename Response>
class WatchStream final : public grpc::ServerWriteReactor<Response> {
 public:
  static std::shared_ptr<WatchStream> Create(Clock& clock, MethodMetrics metrics) {
    const std::shared_ptr<WatchStream> stream(new WatchStream(clock, std::move(metrics)));
    stream->self_ = stream;
    return stream;
  }

  // Called once, without any lock, when the stream is over: forget the watcher here. Set it before
  // the handler returns.
  void set_on_done(absl::AnyInvocable<void()> on_done) { on_done_ = std::move(on_done); }

  // Called after each write with how long it took since its response was offered; must be short.
  // Set it before the handler returns.
  void set_on_written(std::function<void(absl::Duration)> on_written) {
    on_written_ = std::move(on_written);
  }

  // Shows `response` as soon as the write before it is over; replaces one still waiting.
  void Offer(Response response) {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    waiting_ = std::move(response);
    waiting_since_ = clock_.Now();
    Advance();
  }

  // Ends the stream after what is waiting has been written.
  void Close(absl::Status status) {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = std::move(status);
    Advance();
  }

 private:
  WatchStream(Clock& clock, MethodMetrics metrics)
      : clock_(clock), metrics_(std::move(metrics)), start_(clock.Now()) {
    metrics_.Started();
    metrics_.MessageReceived();
  }

  void Advance() {  // Needs mutex_.
    if (writing_ || finished_) return;
    if (waiting_) {
      writing_ = true;
      current_ = *std::move(waiting_);
      current_since_ = waiting_since_;
      waiting_.reset();
      this->StartWrite(&current_);
    } else if (closing_) {
      finished_ = true;
      this->Finish(status::ToGrpc(*closing_));
    }
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok) {
      metrics_.MessageSent();
      if (on_written_) on_written_(clock_.Now() - current_since_);
    } else {
      Abandon();
    }
    Advance();
  }

  // May come while a write is in flight: then OnWriteDone finishes.
  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    Abandon();
    Advance();
  }

  void Abandon() {  // Needs mutex_.
    waiting_.reset();
    if (!closing_) closing_ = absl::CancelledError("The watcher is gone.");
  }

  void OnDone() override {
    // Whoever called Finish may still hold the mutex, which must outlive that.
    const std::shared_ptr<WatchStream> last = std::move(self_);
    absl::StatusCode code;
    {
      const std::lock_guard lock(mutex_);
      code = closing_->code();
    }
    metrics_.Handled(code, clock_.Now() - start_);
    if (on_done_) std::exchange(on_done_, nullptr)();
  }

  Clock& clock_;
  MethodMetrics metrics_;
  const absl::Time start_;
  absl::AnyInvocable<void()> on_done_;
  std::function<void(absl::Duration)> on_written_;
  absl::Time waiting_since_;
  absl::Time current_since_;
  std::shared_ptr<WatchStream> self_;
  std::mutex mutex_;
  bool writing_ = false;
  bool finished_ = false;
  std::optional<Response> waiting_;
  std::optional<absl::Status> closing_;
  Response current_;
};

}  // namespace tarot::rpc
