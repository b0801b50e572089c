// Implements the server's side of a gRPC stream. A subclass handles the messages. The classes in
// this file are the state machine: they keep at most one write and one read in flight, end the
// stream once, and keep the object alive until OnDone.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/write_batch.h"
#include "libs/rpc/call_metrics.h"
#include "libs/status/wire.h"

namespace tarot::rpc {

// The types that handlers of streaming methods return to gRPC.
template <typename Response>
using WriteCall = grpc::ServerWriteReactor<Response>;
template <typename Request, typename Response>
using BidiCall = grpc::ServerBidiReactor<Request, Response>;

// A stream that sends messages until Close. `Reactor` is gRPC's class for the call, or a fake in
// tests. A shared_ptr must own each object. A factory of the subclass makes the object and calls
// Begin, and the handler returns a plain pointer to gRPC. From Begin on, the stream keeps itself
// alive until gRPC has finished with it. Another owner may keep the object longer, but its
// functions then do nothing.
template <typename Reactor, typename Response>
class ServerStream : public Reactor,
                     private BatchedWriter,
                     public std::enable_shared_from_this<ServerStream<Reactor, Response>> {
 public:
  // Ends the stream with `status` after all waiting messages are sent. If Close or CloseNow was
  // called before, does nothing. Any thread may call it.
  void Close(const absl::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (!closing_) closing_ = status;
    }
    Advance();
  }

  // Like Close, but drops the waiting messages. Use it if the client perhaps no longer reads.
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

  // Begins the stream, and counts the call as started. Call Begin or BeginCounted once, before the
  // handler returns.
  void Begin() {
    metrics_.Started();
    BeginCounted();
  }
  // Like Begin, for a call that has been counted as started before.
  void BeginCounted() {
    self_ = this->shared_from_this();
    Advance();
  }

  // Starts every operation that can start. If the thread has a WriteBatch, they start at its end.
  // Call it when a new message waits, without holding mutex().
  void Advance() {
    const auto owner = [this]() -> std::shared_ptr<void> { return this->shared_from_this(); };
    if (!WriteBatch::Join(*this, owner)) WriteWaiting();
  }

  // Chooses the next message. Returns false if no message waits. The stream does not call it while
  // a message is in flight.
  virtual bool TakeLocked() = 0;
  // Encodes the message that TakeLocked has chosen. Runs without the lock, so that other threads
  // can add messages at the same time.
  virtual void Fill(Response& response) = 0;
  // Drops the waiting messages, because the client is gone or CloseNow was called.
  virtual void DropLocked() = 0;
  // Called when gRPC has taken the message, before TakeLocked chooses the next message.
  virtual void OnWritten() {}
  // Returns false if the stream must not end yet after Close, because more messages will come.
  virtual bool MayEndLocked() { return true; }
  // Starts the next read, if the stream reads.
  virtual void ReadLocked() {}
  // Called last, when the gRPC call is over.
  virtual void OnOver() {}

  std::mutex& mutex() const { return mutex_; }
  bool closing_locked() const { return closing_.has_value(); }
  bool writing_locked() const { return writing_; }
  bool lost_locked() const { return lost_; }  // True if the client is gone.
  const MethodMetrics& metrics() const { return metrics_; }
  // The message in flight. If OnWritten does not clear it, it stays in memory until the next
  // message.
  Response& response() { return response_; }

 private:
  void WriteWaiting() final {
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

  // If OnCancel comes while a write is in flight, OnWriteDone ends the stream.
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
    // The thread that called Finish may still hold the mutex. The locked block below waits for this
    // thread, so that `last` does not destroy a locked mutex.
    const std::shared_ptr<ServerStream> last = std::move(self_);
    absl::Status status;
    {
      const std::lock_guard lock(mutex_);
      status = *closing_;
    }
    metrics_.Handled(status, watch_.Elapsed());
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

// A stream that also gets messages. `Reactor` must have StartRead.
template <typename Request, typename Response, typename Reactor = BidiCall<Request, Response>>
class ServerBidiStream : public ServerStream<Reactor, Response> {
 protected:
  using ServerStream<Reactor, Response>::ServerStream;

  // Handles one message. If it returns true, the stream reads the next message at once. If it
  // returns false, the stream reads the next message after ReadNext. The stream drops messages that
  // arrive after Close.
  virtual bool OnRequest(Request& request) = 0;
  // Called when the client sends no more messages, or is gone.
  virtual void OnRequestsDone() = 0;
  // Returns false if the stream must not read now, because too many messages wait.
  virtual bool MayReadLocked() const { return true; }

  // If OnRequest has returned false, call this function when the work for that message is done. Any
  // thread may call it.
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
    // A message that arrives after Close has no effect, because Close may have refused the caller.
    if (!closing && OnRequest(request_)) ReadNext();
  }

  bool reading_ = false;
  bool reads_done_ = false;
  Request request_;
};

}  // namespace tarot::rpc
