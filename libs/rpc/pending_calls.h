// The calls that a client has in flight, so that its owner can be destroyed: cancel, then wait.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>
#include <set>

namespace tarot::rpc {

// Thread-safe.
class PendingCalls {
 public:
  ~PendingCalls() { Stop(); }

  // Before a call starts; false, and it must not start, after Stop.
  bool Add(grpc::ClientContext* context) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    calls_.insert(context);
    return true;
  }

  // The last thing that its callback does.
  void Remove(grpc::ClientContext* context) {
    const std::lock_guard lock(mutex_);
    calls_.erase(context);
    if (calls_.empty()) empty_.notify_all();
  }

  // Cancels what is in flight and waits for its callbacks. Idempotent.
  void Stop() {
    std::unique_lock lock(mutex_);
    stopped_ = true;
    for (grpc::ClientContext* context : calls_) context->TryCancel();
    empty_.wait(lock, [this] { return calls_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable empty_;
  bool stopped_ = false;
  std::set<grpc::ClientContext*> calls_;
};

}  // namespace tarot::rpc
