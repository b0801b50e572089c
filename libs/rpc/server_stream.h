// The server's side of a gRPC stream. A subclass says what its messages are. This class contains
// the state machine: one write and one read in flight, one end, and the life of the object until
// OnDone.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/rpc/call_metrics.h"
#include "libs/status/wire.h"

namespace tarot::rpc {

// The type that a handler of a streaming method returns to gRPC.
template <typename Response>
using WriteCall = grpc::ServerWriteReactor<Response>;
template <typename Request, typename Response>
using BidiCall = grpc::ServerBidiReactor<Request, Response>;

// Writes messages until Close. `Reactor` is gRPC's class for the call, or a fake in tests.
// A shared_ptr holds each object of a subclass. The subclass's factory calls Begin, and its handler
// returns the pointer to gRPC. From then on the stream keeps itself alive until gRPC has finished
// with it. Other owners may keep it longer; their calls then do nothing.
template <typename Reactor, typename Response>
class ServerStream : public Reactor,
                     public std::enable_shared_from_this<ServerStream<Reactor, Response>> {
 public:
  // Ends the stream with `status` after the messages that are still to be sent. Only the first call
  // counts. Any thread may call it.
  void Close(const absl::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (!closing_) closing_ = status;
    }
    Advance();
  }

  // Ends the stream without the messages that wait, because the client may not read them.
  void CloseNow(const absl::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
      closing_ = status;
      DropLocked();
    }
    Advance();
  }

 protected:
  explicit ServerStream(MethodMetrics metrics) : metrics_(std::move(metrics)) {}
  ~ServerStream() override = default;

  // Call one of these functions once, before the handler returns.
  void Begin() {
    metrics_.Started();
    BeginCounted();
  }
  // Begins a stream whose call has already been counted as started.
  void BeginCounted() {
    self_ = this->shared_from_this();
    Advance();
  }

  // Starts every operation that can start. Call it, without mutex(), after the subclass has got a
  // new message.
  void Advance() {
    bool writing = false;
    {
      const std::lock_guard lock(mutex_);
      if (finished_) return;
      if (!writing_ && !lost_ && TakeLocked()) {
        writing = writing_ = true;
      } else if (!writing_ && closing_ && (lost_ || MayEndLocked())) {
        finished_ = true;
        return this->Finish(status::ToGrpc(*closing_));
      }
      ReadLocked();
    }
    if (!writing) return;
    Fill(response_);
    this->StartWrite(&response_);
  }

  // Chooses the next message. Returns false if no message waits. It is not called while a message
  // is in flight.
  virtual bool TakeLocked() = 0;
  // Encodes the message that TakeLocked chose. Meanwhile other threads may offer new messages.
  virtual void Fill(Response& response) = 0;
  // Forgets the messages that wait, because the client is gone or CloseNow was called.
  virtual void DropLocked() = 0;
  // Called when gRPC has taken the message. The next one is not chosen yet.
  virtual void OnWritten() {}
  // Returns false if the stream must not end yet after Close, because more messages will come.
  virtual bool MayEndLocked() { return true; }
  // Starts the next read, if the stream reads.
  virtual void ReadLocked() {}
  // Called when the call is over. No other function is called afterwards.
  virtual void OnOver() {}

  std::mutex& mutex() const { return mutex_; }
  bool closing_locked() const { return closing_.has_value(); }
  bool writing_locked() const { return writing_; }
  bool lost_locked() const { return lost_; }  // True if the client is gone.
  const MethodMetrics& metrics() const { return metrics_; }
  // The memory of a message stays until the next message, unless OnWritten clears it.
  Response& response() { return response_; }

 private:
  void OnWriteDone(bool ok) final {
    if (ok) {
      metrics_.MessageSent();
      OnWritten();
    }
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    ok ? Advance() : OnCancel();
  }

  // OnCancel may come while a write is in flight. Then OnWriteDone ends the stream.
  void OnCancel() final {
    {
      const std::lock_guard lock(mutex_);
      lost_ = true;
      if (!closing_) closing_ = absl::CancelledError("The client is gone.");
      DropLocked();
    }
    Advance();
  }

  void OnDone() final {
    // The thread that called Finish may still hold the mutex, so the mutex must outlive that call.
    const std::shared_ptr<ServerStream> last = std::move(self_);
    absl::StatusCode code;
    {
      const std::lock_guard lock(mutex_);
      code = closing_->code();
    }
    metrics_.Handled(code, watch_.Elapsed());
    OnOver();
  }

  const MethodMetrics metrics_;
  const Stopwatch watch_;
  std::shared_ptr<ServerStream> self_;
  mutable std::mutex mutex_;
  bool writing_ = false;
  bool finished_ = false;
  bool lost_ = false;
  std::optional<absl::Status> closing_;
  Response response_;
};

// A stream that also reads. `Reactor` must have StartRead.
template <typename Request, typename Response, typename Reactor = BidiCall<Request, Response>>
class ServerBidiStream : public ServerStream<Reactor, Response> {
 protected:
  using ServerStream<Reactor, Response>::ServerStream;

  // Handles one request. If it returns true, the stream reads the next request at once; otherwise
  // the stream waits for ReadNext. The stream does not call this function after Close.
  virtual bool OnRequest(Request& request) = 0;
  // Called when the client will send no more requests, or is gone.
  virtual void OnRequestsDone() = 0;
  // Returns false while the stream must not read more requests because too many messages wait.
  virtual bool MayReadLocked() const { return true; }

  // Says that the work of OnRequest is done. Any thread may call it.
  void ReadNext() {
    {
      const std::lock_guard lock(this->mutex());
      reading_ = false;
    }
    this->Advance();
  }

 private:
  void ReadLocked() final {
    if (reading_ || reads_done_ || this->closing_locked() || !MayReadLocked()) return;
    reading_ = true;
    this->StartRead(&request_);
  }

  void OnReadDone(bool ok) final {
    bool closing = false;
    {
      const std::lock_guard lock(this->mutex());
      closing = this->closing_locked();
      reads_done_ = !ok;
    }
    if (!ok) return OnRequestsDone();
    this->metrics().MessageReceived();
    // Close may have refused this caller as unknown, so do nothing for it.
    if (!closing && OnRequest(request_)) ReadNext();
  }

  bool reading_ = false;
  bool reads_done_ = false;
  Request request_;
};

}  // namespace tarot::rpc
