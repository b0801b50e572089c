// Contains reactors that have gRPC's interface but do not use gRPC. The test completes the
// operations, in any order and on any thread. ThreadSanitizer sees all of this code, but it cannot
// see inside gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include <mutex>
#include <optional>
#include <utility>

namespace tarot::rpc {

// The server's side of a call. Thread-safe. Like gRPC, it calls OnDone last, after Finish and when
// no operation is in flight.
template <typename Request, typename Response>
class FakeServerReactor {
 public:
  virtual ~FakeServerReactor() = default;

  // The code under test calls these functions.
  void StartRead(Request* request) {
    const std::lock_guard lock(fake_mutex_);
    Check(read_ == nullptr && !done_);
    read_ = request;
  }
  void StartWrite(const Response* response) {
    const std::lock_guard lock(fake_mutex_);
    Check(write_ == nullptr && !finished_);
    write_ = response;
  }
  void Finish(const grpc::Status& status) {
    const std::lock_guard lock(fake_mutex_);
    Check(write_ == nullptr && !finished_);
    finished_ = status;
  }
  virtual void OnReadDone(bool) {}
  virtual void OnWriteDone(bool) {}
  virtual void OnCancel() {}
  virtual void OnDone() = 0;

  // The test calls these functions to complete an operation of the stream. If no such operation is
  // in flight, they return nullopt or false.
  std::optional<Response> TakeWrite(bool ok = true) {
    std::optional<Response> written;
    {
      const std::lock_guard lock(fake_mutex_);
      if (write_ == nullptr) return std::nullopt;
      written = *std::exchange(write_, nullptr);
    }
    OnWriteDone(ok);
    return written;
  }
  bool GiveRead(std::optional<Request> request) {
    {
      const std::lock_guard lock(fake_mutex_);
      if (read_ == nullptr) return false;
      Request* const to = std::exchange(read_, nullptr);
      if (request) *to = *request;
    }
    OnReadDone(request.has_value());
    return true;
  }
  void Cancel() { OnCancel(); }
  // Ends the call. Returns its status. Returns nullopt if Finish was not called, if a write is in
  // flight, or if the call has ended before. This function may destroy the reactor.
  std::optional<grpc::Status> End() {
    std::optional<grpc::Status> status;
    {
      const std::lock_guard lock(fake_mutex_);
      if (!finished_ || write_ != nullptr || done_) return std::nullopt;
    }
    GiveRead(std::nullopt);
    {
      const std::lock_guard lock(fake_mutex_);
      done_ = true;
      status = finished_;
    }
    OnDone();
    return status;
  }
  bool reading() {
    const std::lock_guard lock(fake_mutex_);
    return read_ != nullptr;
  }

 private:
  static void Check(bool allowed) {
    // The code under test made a call that gRPC does not allow in this state.
    if (!allowed) __builtin_trap();
  }

  std::mutex fake_mutex_;
  Request* read_ = nullptr;
  const Response* write_ = nullptr;
  std::optional<grpc::Status> finished_;
  bool done_ = false;
};

// The client's side of several calls, one after the other. Thread-safe. Like gRPC, it calls OnDone
// when the server has ended the call, no operation is in flight and no hold is left.
template <typename Request, typename Response>
class FakeClientReactor {
 public:
  virtual ~FakeClientReactor() = default;

  // The code under test calls these functions.
  void StartCall() {
    const std::lock_guard lock(fake_mutex_);
    Check(!running_);
    running_ = true;
    ++calls_;
  }
  void StartRead(Response* response) {
    const std::lock_guard lock(fake_mutex_);
    Check(read_ == nullptr);
    read_ = response;
  }
  void StartWrite(const Request* request) {
    const std::lock_guard lock(fake_mutex_);
    Check(write_ == nullptr && running_ && holds_ > 0);
    write_ = request;
  }
  void StartWritesDone() {
    const std::lock_guard lock(fake_mutex_);
    Check(write_ == nullptr && running_);
    writes_done_ = true;
  }
  void AddHold() {
    const std::lock_guard lock(fake_mutex_);
    ++holds_;
  }
  void RemoveHold() {
    const std::lock_guard lock(fake_mutex_);
    Check(holds_-- > 0);
  }
  virtual void OnReadDone(bool) {}
  virtual void OnWriteDone(bool) {}
  virtual void OnDone(const grpc::Status&) = 0;

  // The test calls these functions to complete an operation of the stream. If no such operation is
  // in flight, they return nullopt or false.
  std::optional<Request> TakeWrite(bool ok = true) {
    std::optional<Request> written;
    {
      const std::lock_guard lock(fake_mutex_);
      if (write_ == nullptr) return std::nullopt;
      written = *std::exchange(write_, nullptr);
    }
    OnWriteDone(ok);
    return written;
  }
  bool GiveRead(const Response& response) {
    {
      const std::lock_guard lock(fake_mutex_);
      if (read_ == nullptr || !running_) return false;
      *std::exchange(read_, nullptr) = response;
    }
    OnReadDone(true);
    return true;
  }
  // Ends the call that runs. Returns false if no call runs. This function may destroy the reactor.
  bool End(const grpc::Status& status) {
    bool reading = false;
    {
      const std::lock_guard lock(fake_mutex_);
      if (!running_) return false;
      reading = std::exchange(read_, nullptr) != nullptr;
    }
    if (reading) OnReadDone(false);
    TakeWrite(false);
    {
      const std::lock_guard lock(fake_mutex_);
      Check(holds_ == 0 && read_ == nullptr && write_ == nullptr);
      running_ = writes_done_ = false;
    }
    OnDone(status);
    return true;
  }
  int calls() {
    const std::lock_guard lock(fake_mutex_);
    return calls_;
  }
  bool writes_done() {
    const std::lock_guard lock(fake_mutex_);
    return writes_done_;
  }

 private:
  static void Check(bool allowed) {
    // The code under test made a call that gRPC does not allow in this state.
    if (!allowed) __builtin_trap();
  }

  std::mutex fake_mutex_;
  Response* read_ = nullptr;
  const Request* write_ = nullptr;
  bool running_ = false;
  bool writes_done_ = false;
  int holds_ = 0;
  int calls_ = 0;
};

}  // namespace tarot::rpc
