// The calls that a client has in flight, so that its owner can be destroyed: cancel, then wait.
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

  // Before a call starts; false, and it must not start, after Stop.
  bool Add(std::optional<grpc::ClientContext>& context) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    calls_.insert(&*context);
    ++running_;
    return true;
  }

  // The last thing that its callback does. The context goes before anybody stops waiting: it holds
  // the channel, whose last owner must be no thread of gRPC, for that would join itself.
  void Remove(std::optional<grpc::ClientContext>& context) {
    {
      const std::lock_guard lock(mutex_);
      calls_.erase(&*context);
    }
    context.reset();
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) none_.notify_all();
  }

  // Cancels what is in flight and waits for its callbacks. Idempotent.
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
