// An inner service as calls see it: which of its processes one goes to, and how it ends when that
// process is gone.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "services/gateway/transport/move_client.h"

namespace tarot::gateway {

// The way to one process, or to several that are the same to us, and the calls that are on it.
// Thread-safe.
class Way {
 public:
  explicit Way(std::shared_ptr<grpc::Channel> channel,
               std::shared_ptr<MoveClient> its_moves = nullptr)
      : stub(std::move(channel)), moves(std::move(its_moves)) {}

  // Before a call starts. False, and it must not, after Close.
  bool Enter(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    if (!closed_) calls_.insert(call);
    return !closed_;
  }
  // When it is over.
  void Leave(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
  }
  // The process is gone: cancels what is in flight, so that nobody waits for its answer.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (grpc::ClientContext* call : calls_) call->TryCancel();
  }

  grpc::GenericStub stub;
  const std::shared_ptr<MoveClient> moves;  // Null where none are played.

 private:
  std::mutex mutex_;
  bool closed_ = false;
  absl::flat_hash_set<grpc::ClientContext*> calls_;
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual const std::string& name() const = 0;  // "rules"
  virtual std::shared_ptr<Way> Choose(const grpc::ByteBuffer& request) = 0;
};

// A service whose processes are all the same to us.
class SimplePeer final : public Peer {
 public:
  SimplePeer(std::string name, std::shared_ptr<grpc::Channel> channel)
      : name_(std::move(name)), way_(std::make_shared<Way>(std::move(channel))) {}

  const std::string& name() const override { return name_; }
  std::shared_ptr<Way> Choose(const grpc::ByteBuffer&) override { return way_; }

 private:
  const std::string name_;
  const std::shared_ptr<Way> way_;
};

}  // namespace tarot::gateway
