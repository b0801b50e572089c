// Keeps the unary calls that an object has in flight. Stop() cancels these calls and waits for
// their end, so that the object can be destroyed.
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

  // Call this function before a gRPC call starts. If it returns false, Stop() has run before, and
  // the gRPC call must not start.
  bool Add(std::optional<grpc::ClientContext>& context) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    calls_.insert(&*context);
    ++running_;
    return true;
  }

  // Call Remove at the end of the call's callback. Remove destroys the context, which owns the
  // channel, before Stop returns. If a thread of gRPC destroyed the last context later, the thread
  // would also destroy the channel, and would wait for itself.
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
