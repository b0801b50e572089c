// A server stream that shows the latest state: one write in flight, newer replaces older, so a slow
// client can never hold memory.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "absl/functional/any_invocable.h"
#include "libs/base/clock.h"
#include "libs/rpc/call_metrics.h"
#include "libs/status/wire.h"

namespace tarot::rpc {

// Give it to gRPC by returning `this` from the handler. It deletes itself in OnDone, after calling
// `on_done` (which must drop every pointer to it). Offer and Close are thread-safe until then.
template <typename Response>
class WatchStream final : public grpc::ServerWriteReactor<Response> {
 public:
  WatchStream(Clock& clock, MethodMetrics metrics) : clock_(clock), metrics_(std::move(metrics)), start_(clock.Now()) {
    metrics_.Started();
    metrics_.MessageReceived();
  }

  void set_on_done(absl::AnyInvocable<void()> on_done) { on_done_ = std::move(on_done); }

  // Shows `response` as soon as the write before it is over; replaces one still waiting.
  void Offer(Response response) {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return;
    waiting_ = std::move(response);
    Advance();
  }

  // Ends the stream after what is waiting has been written.
  void Close(absl::Status status) {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return;
    closing_ = std::move(status);
    Advance();
  }

 private:
  void Advance() {  // Needs mutex_.
    if (writing_ || finished_) return;
    if (waiting_) {
      writing_ = true;
      current_ = *std::move(waiting_);
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
    if (ok) metrics_.MessageSent();
    if (!ok && !closing_) closing_ = absl::CancelledError("The watcher is gone.");
    if (!ok) waiting_.reset();
    Advance();
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    if (!closing_) closing_ = absl::CancelledError("The watcher is gone.");
    Advance();
  }

  void OnDone() override {
    metrics_.Handled(closing_ ? closing_->code() : absl::StatusCode::kUnknown, clock_.Now() - start_);
    if (on_done_) on_done_();
    delete this;
  }

  Clock& clock_;
  MethodMetrics metrics_;
  const absl::Time start_;
  absl::AnyInvocable<void()> on_done_;
  std::mutex mutex_;
  bool writing_ = false;
  bool finished_ = false;
  std::optional<Response> waiting_;
  std::optional<absl::Status> closing_;
  Response current_;
};

}  // namespace tarot::rpc
