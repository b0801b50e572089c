// The calls that a client has in flight. Before the owner of the calls is destroyed, it cancels
// them and waits for their end.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>

namespace tarot::rpc {

// Thread-safe.
class PendingCalls {
 public:
  ~PendingCalls() { Stop(); }

  // Call it before a call starts. If it returns false, Stop has been called, and the call must not
  // start.
  bool Add(std::optional<grpc::ClientContext>& context) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    calls_.insert(&*context);
    ++running_;
    return true;
  }

  // Call it last in the call's callback. The context holds the channel. A thread of gRPC that is
  // the last owner of a channel would join itself, so the context is destroyed before Stop returns.
  void Remove(std::optional<grpc::ClientContext>& context) {
    {
      const std::lock_guard lock(mutex_);
      calls_.erase(&*context);
    }
    context.reset();
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) none_.notify_all();
  }

  // Cancels the calls in flight and waits for their callbacks. Idempotent.
  void Stop() {
    std::unique_lock lock(mutex_);
    stopped_ = true;
    for (grpc::ClientContext* context : calls_) context->TryCancel();
    none_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  bool stopped_ = false;
  int running_ = 0;
  std::set<grpc::ClientContext*> calls_;
};

}  // namespace tarot::rpc
