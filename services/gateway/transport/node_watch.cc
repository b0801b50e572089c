#include "services/gateway/transport/node_watch.h"

#include <algorithm>
#include <utility>

#include "libs/rpc/channel.h"

namespace tarot::gateway {
namespace {

constexpr int kSilentTicksMax = 6;  // Three seconds; a list comes each second.
constexpr absl::Duration kNextDelay = absl::Milliseconds(200);

}  // namespace

NodeWatch::NodeWatch(std::vector<std::string> seeds, OnList on_list,
                     const rpc::Authenticator& inward, Clock& clock, Scheduler& scheduler,
                     rpc::MethodMetrics calls)
    : seeds_(std::move(seeds)),
      on_list_(std::move(on_list)),
      inward_(inward),
      clock_(clock),
      scheduler_(scheduler),
      calls_(std::move(calls)),
      to_ask_(seeds_) {}

void NodeWatch::Open() {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  self_ = shared_from_this();
  start_ = clock_.Now();
  silent_ticks_ = 0;
  channel_ = rpc::MakeChannel(to_ask_[turn_++ % to_ask_.size()]);
  stub_ = rules::v1::NodeService::NewStub(channel_);
  context_.emplace();
  inward_.Sign(*context_, rpc::Caller{.service = "gateway"});
  calls_.Started();
  calls_.MessageSent();
  stub_->async()->WatchNodes(&*context_, &request_, this);
  StartRead(&response_);
  StartCall();
}

void NodeWatch::OnReadDone(bool ok) {
  if (!ok) return;
  calls_.MessageReceived();
  std::vector<std::string> list;
  for (const rules::v1::Node& node : response_.nodes()) list.push_back(node.address());
  std::sort(list.begin(), list.end());
  {
    const std::lock_guard lock(mutex_);
    silent_ticks_ = 0;
    if (closed_) list.clear();
    if (!list.empty()) {
      to_ask_ = seeds_;
      to_ask_.insert(to_ask_.end(), list.begin(), list.end());
    }
  }
  if (!list.empty()) on_list_(std::move(list));
  StartRead(&response_);
}

void NodeWatch::OnDone(const grpc::Status& status) {
  std::shared_ptr<NodeWatch> last;  // Gone after the lock.
  const std::lock_guard lock(mutex_);
  calls_.Handled(static_cast<absl::StatusCode>(status.error_code()), clock_.Now() - start_);
  context_.reset();
  last = std::move(self_);
  done_.notify_all();
  if (closed_) return;
  scheduler_.After(kNextDelay, [weak = weak_from_this()] {
    if (const std::shared_ptr<NodeWatch> watch = weak.lock()) watch->Open();
  });
}

void NodeWatch::Tick() {
  const std::lock_guard lock(mutex_);
  if (self_ != nullptr && ++silent_ticks_ == kSilentTicksMax) context_->TryCancel();
}

void NodeWatch::Close() {
  std::unique_ptr<rules::v1::NodeService::Stub> stub;  // Gone here: no thread of gRPC may be the
  std::shared_ptr<grpc::Channel> channel;              // last owner of a channel.
  std::unique_lock lock(mutex_);
  closed_ = true;
  if (self_ != nullptr) context_->TryCancel();
  done_.wait(lock, [this] { return self_ == nullptr; });
  stub = std::move(stub_);
  channel = std::move(channel_);
}

}  // namespace tarot::gateway
