// Implements the client's side of a gRPC stream that opens again after a loss. A subclass chooses
// the method and handles the messages. The classes in this file are the state machine: they keep at
// most one read and one write in flight, pause before each new call, and keep the object alive
// while gRPC may use it.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/rpc/call_metrics.h"

namespace tarot::rpc {

// The pauses before repeated attempts. Each pause is random, and its upper limit doubles after each
// failure. So if many clients lose the same server, they do not all connect again at the same
// moment.
struct Backoff {
  absl::Duration min = absl::Milliseconds(100);  // The upper limit of the first pause.
  absl::Duration max = absl::Seconds(2);         // The upper limit of every pause.

  // Returns the pause after `failures` failures in a row. `failures` must be at least 1.
  absl::Duration After(int failures, Entropy& entropy) const {
    absl::Duration top = min;
    for (int i = 1; i < failures && top < max; ++i) top *= 2;
    const double part = static_cast<double>(entropy.NewSeed() >> 11) * 0x1p-53;
    return std::min(top, max) * part;
  }
};

// The types of the reactors that a stub's streaming methods take.
template <typename Response>
using ReadCall = grpc::ClientReadReactor<Response>;
template <typename Request, typename Response>
using WriteReadCall = grpc::ClientBidiReactor<Request, Response>;

// A stream of messages from the server. `Reactor` is gRPC's class for the call, or a fake in tests.
// A shared_ptr must own the object. The owner calls Open once, and Close at the end. All objects
// that the subclass uses must live until Wait has returned.
template <typename Response, typename Reactor = ReadCall<Response>>
class ClientStream : public Reactor,
                     public std::enable_shared_from_this<ClientStream<Response, Reactor>> {
 public:
  // Starts the first call.
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      self_ = this->shared_from_this();
      watch_ = Stopwatch();
      silent_ticks_ = 0;
      context_.emplace();
      if (metrics_) metrics_->Started();
      BindLocked(*context_);
      HoldLocked();
      Read();
      this->StartCall();
      open_ = true;
    }
    OnOpen();
  }

  // Ends the stream for good. Does not wait until it is over. The stream drops later messages, but
  // a thread that has just read a message may still call OnMessage.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (self_ != nullptr) context_->TryCancel();
  }
  // Returns true if no call runs and no call will start.
  bool over() const {
    const std::lock_guard lock(mutex_);
    return closed_ && self_ == nullptr;
  }
  // Waits until over(). Do not call it on a thread of gRPC.
  void Wait() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return closed_ && self_ == nullptr; });
  }

 protected:
  // `scheduler` must outlive the last call. If `metrics` is unset, nothing is counted.
  ClientStream(Scheduler& scheduler, std::optional<MethodMetrics> metrics)
      : scheduler_(scheduler), metrics_(std::move(metrics)) {}
  ~ClientStream() override = default;

  // Adds metadata to `context`, and passes `context` and this reactor to the stub's method.
  virtual void BindLocked(grpc::ClientContext& context) = 0;
  // Called when a call has started.
  virtual void OnOpen() {}
  virtual void OnMessage(Response& response) = 0;
  // Called when the call is over. `failures` is the number of calls that have ended since the last
  // message, including this call. Returns the pause before the next call, or nullopt if there must
  // be no next call.
  virtual std::optional<absl::Duration> OnLost(const grpc::Status& status, int failures) = 0;
  // Returns the object that receives the next message. gRPC's parser clears this object first.
  virtual Response* NextMessage() { return &response_; }

  // Call this function at a steady rate. If it runs `ticks_max` times in a row and no message comes
  // from the server, it cancels the gRPC call. The next gRPC call may reach a server that works.
  void TickLocked(int ticks_max) {
    if (self_ != nullptr && ++silent_ticks_ == ticks_max) context_->TryCancel();
  }
  // The number of ticks in a row without a message.
  int silent_ticks() const { return silent_ticks_; }
  bool heard() const { return heard_; }  // True if the open call has got a message.

  std::mutex& mutex() const { return mutex_; }
  // True from the start of a call until its reads end.
  bool open_locked() const { return open_; }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  const std::optional<MethodMetrics>& metrics() const { return metrics_; }

 private:
  // ClientBidiStream overrides these functions.
  virtual void HoldLocked() {}
  virtual void Unhold() {}
  virtual void AdvanceLocked() {}
  virtual void ForgetLocked() {}

  void Read() {
    message_ = NextMessage();
    this->StartRead(message_);
  }

  void OnReadDone(bool ok) final {
    bool closed = false;
    {
      const std::lock_guard lock(mutex_);
      closed = closed_;
      open_ = heard_ = ok;
      if (ok) {
        silent_ticks_ = failures_ = 0;
        AdvanceLocked();
      }
    }
    if (!ok) return Unhold();
    if (metrics_) metrics_->MessageReceived();
    if (!closed) OnMessage(*message_);
    Read();
  }

  void OnDone(const grpc::Status& status) final {
    const std::optional<absl::Duration> delay = OnLost(status, CountFailure());
    // `last` is declared before the lock, so it is destroyed after the lock is released. It may
    // destroy this stream, and with it the mutex.
    std::shared_ptr<ClientStream> last;
    const std::lock_guard lock(mutex_);
    if (metrics_) {
      metrics_->Handled(static_cast<absl::StatusCode>(status.error_code()), watch_.Elapsed());
    }
    open_ = heard_ = false;
    ForgetLocked();
    // The context owns the channel. A thread of gRPC must not be the last owner of a channel,
    // because it would wait for itself. So the context is destroyed before Wait returns.
    context_.reset();
    last = std::move(self_);
    if (!delay) closed_ = true;
    over_.notify_all();
    if (closed_) return;
    scheduler_.After(*delay, [weak = this->weak_from_this()] {
      if (const std::shared_ptr<ClientStream> stream = weak.lock()) stream->Open();
    });
  }

  int CountFailure() {
    const std::lock_guard lock(mutex_);
    return ++failures_;
  }

  Scheduler& scheduler_;
  const std::optional<MethodMetrics> metrics_;
  mutable std::mutex mutex_;
  std::condition_variable over_;
  // Keeps the stream alive while a call runs. Null at other times.
  std::shared_ptr<ClientStream> self_;
  std::optional<grpc::ClientContext> context_;
  bool open_ = false;
  bool closed_ = false;
  int failures_ = 0;
  Stopwatch watch_;
  std::atomic<bool> heard_ = false;
  std::atomic<int> silent_ticks_ = 0;
  Response* message_ = nullptr;  // The read in flight writes its message here.
  Response response_;
};

// A stream that also sends messages.
template <typename Request, typename Response, typename Reactor = WriteReadCall<Request, Response>>
class ClientBidiStream : public ClientStream<Response, Reactor> {
 protected:
  using ClientStream<Response, Reactor>::ClientStream;

  enum class Next { kNothing, kMessage, kEnd };

  // Puts the next message into `request`, which still holds the previous message, and returns
  // kMessage. Returns kNothing if no message waits, and kEnd if this side sends no more messages on
  // this call. The stream does not call this function while a write is in flight.
  virtual Next TakeLocked(Request& request) = 0;

  // Starts the next write if TakeLocked has something to send. Call it when a new message waits.
  // The stream itself also calls it after each write, and after each message from the server.
  void AdvanceLocked() final {
    if (writing_ || ended_ || !this->open_locked()) return;
    switch (TakeLocked(request_)) {
      case Next::kNothing:
        return;
      case Next::kMessage:
        writing_ = true;
        if (this->metrics()) this->metrics()->MessageSent();
        return this->StartWrite(&request_);
      case Next::kEnd:
        ended_ = true;
        return this->StartWritesDone();
    }
  }
  bool writing_locked() const { return writing_; }
  // True if TakeLocked has returned kEnd for the open call.
  bool ended_locked() const { return ended_; }

 private:
  // Until the reads end, threads other than gRPC's own may start writes. gRPC requires a hold
  // (AddHold) for such writes.
  void HoldLocked() final { this->AddHold(); }
  void Unhold() final { this->RemoveHold(); }
  void ForgetLocked() final { writing_ = ended_ = false; }

  void OnWriteDone(bool ok) final {
    const std::lock_guard lock(this->mutex());
    writing_ = false;
    if (ok) AdvanceLocked();
  }

  bool writing_ = false;
  bool ended_ = false;
  Request request_;
};

}  // namespace tarot::rpc
