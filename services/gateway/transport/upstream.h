// The services behind the gateway. An upstream chooses the channel for a call. A channel cancels
// its calls when its process is gone.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "services/gateway/transport/move_client.h"

namespace tarot::gateway_service {

// The channel to one process, or to several equal processes, and its calls in flight. Thread-safe.
class UpstreamChannel {
 public:
  explicit UpstreamChannel(std::shared_ptr<grpc::Channel> channel,
                           std::shared_ptr<MoveClient> its_moves = nullptr)
      : stub(std::move(channel)), moves(std::move(its_moves)) {}

  // Call this function before each call to the service. If it returns false, Close() has been
  // called; then do not start the call.
  bool Add(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    if (!closed_) calls_.insert(call);
    return !closed_;
  }
  // Call this function after each call to the service.
  void Remove(grpc::ClientContext* call) {
    const std::lock_guard lock(mutex_);
    calls_.erase(call);
  }
  // Cancels the calls in flight, because the process is gone and cannot answer them.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (grpc::ClientContext* call : calls_) call->TryCancel();
  }

  grpc::GenericStub stub;
  const std::shared_ptr<MoveClient> moves;  // Null if the process accepts no stream of moves.

 private:
  std::mutex mutex_;
  bool closed_ = false;
  absl::flat_hash_set<grpc::ClientContext*> calls_;
};

// A service to which the gateway forwards calls. Thread-safe.
class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual const std::string& name() const = 0;  // For example "rules".
  // Returns the cell whose slots the call takes. Returns nullopt if the upstream has no cells, or
  // if the request belongs to no cell.
  virtual std::optional<int> CellOfRequest(const grpc::ByteBuffer&) const { return std::nullopt; }
  virtual std::shared_ptr<UpstreamChannel> Choose(const grpc::ByteBuffer& request) = 0;
};

// A service whose processes are all equal, so gRPC chooses one of them.
class SimpleUpstream final : public Upstream {
 public:
  SimpleUpstream(std::string name, std::shared_ptr<grpc::Channel> channel)
      : name_(std::move(name)), channel_(std::make_shared<UpstreamChannel>(std::move(channel))) {}

  const std::string& name() const override { return name_; }
  std::shared_ptr<UpstreamChannel> Choose(const grpc::ByteBuffer&) override { return channel_; }

 private:
  const std::string name_;
  const std::shared_ptr<UpstreamChannel> channel_;
};

}  // namespace tarot::gateway_service
