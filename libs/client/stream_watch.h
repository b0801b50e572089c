// The Watch over one kind of server stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/client/block_message.h"
#include "libs/client/retry.h"
#include "libs/client/watch.h"
#include "libs/status/wire.h"

namespace tarot::client {

template <typename Request, typename Response>
class StreamWatch final : public Watch {
 public:
  using Reactor = grpc::ClientReadReactor<Response>;

  struct Setup {
    Request request;
    Retry retry;
    // Binds the reactor to a new call; tells which gateway it goes to.
    absl::AnyInvocable<std::size_t(grpc::ClientContext&, const Request&, Reactor*)> open;
    // That gateway has failed it.
    absl::AnyInvocable<void(std::size_t)> on_lost;
    // May change `next`, the request with which the stream opens again after a loss.
    absl::AnyInvocable<void(const Response&, Request& next)> on_message;
    absl::AnyInvocable<void(const absl::Status&)> on_end;
  };

  StreamWatch(Setup setup, Scheduler& scheduler, Entropy& entropy)
      : core_(std::make_shared<Core>(std::move(setup), scheduler, entropy)) {
    core_->Open();
  }
  ~StreamWatch() override { core_->Close(); }

 private:
  // Lives on for as long as gRPC or the scheduler may come back to it.
  class Core final : public Reactor, public std::enable_shared_from_this<Core> {
   public:
    Core(Setup setup, Scheduler& scheduler, Entropy& entropy)
        : setup_(std::move(setup)), scheduler_(scheduler), entropy_(entropy) {}

    void Open() {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      self_ = this->shared_from_this();
      request_ = setup_.request;  // The one in use must not change under gRPC.
      context_.emplace();
      gateway_ = setup_.open(*context_, request_, this);
      ReadNext();
      this->StartCall();
    }

    void Close() {
      std::unique_lock lock(mutex_);
      closed_ = true;
      if (self_ == nullptr) return;
      context_->TryCancel();
      done_.wait(lock, [this] { return self_ == nullptr; });
    }

   private:
    void OnReadDone(bool ok) override {
      if (!ok) return;
      {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        failures_ = 0;
      }
      setup_.on_message(*response_, setup_.request);
      ReadNext();
    }

    void ReadNext() {
      response_.Renew();
      this->StartRead(&*response_);
    }

    void OnDone(const grpc::Status& status) override {
      const std::shared_ptr<Core> last = self_;  // Keeps the mutex alive while it is locked.
      if (!TryAgain(status)) End(status);
      const std::lock_guard lock(mutex_);
      // Holds the channel, whose last owner must be no thread of gRPC: that would join itself.
      context_.reset();
      self_.reset();
      done_.notify_all();
      if (wait_) {
        scheduler_.After(*std::exchange(wait_, std::nullopt), [weak = this->weak_from_this()] {
          if (const std::shared_ptr<Core> core = weak.lock()) core->Open();
        });
      }
    }

    // CANCELLED, when it was not we who cancelled: the server is going away.
    bool TryAgain(const grpc::Status& status) {
      const std::lock_guard lock(mutex_);
      const bool lost = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                        status.error_code() == grpc::StatusCode::CANCELLED;
      if (closed_ || !lost) return false;
      setup_.on_lost(gateway_);
      if (++failures_ >= setup_.retry.attempts_max) return false;
      wait_ = setup_.retry.Backoff(failures_, entropy_);
      return true;
    }

    void End(const grpc::Status& status) {
      {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        closed_ = true;
      }
      setup_.on_end(status::FromGrpc(status));
    }

    Setup setup_;
    Scheduler& scheduler_;
    Entropy& entropy_;
    std::mutex mutex_;
    std::condition_variable done_;
    std::shared_ptr<Core> self_;  // Set while a call runs.
    bool closed_ = false;
    std::size_t gateway_ = 0;
    int failures_ = 0;  // In a row, without a message between.
    std::optional<absl::Duration> wait_;
    std::optional<grpc::ClientContext> context_;
    Request request_;
    BlockMessage<Response> response_;
  };

  const std::shared_ptr<Core> core_;
};

}  // namespace tarot::client
