#include "services/gateway/transport/move_client.h"

#include <string>
#include <utility>
#include <vector>

namespace tarot::gateway {
namespace {

// A replica that knows no such streams is asked again and again, for it may be replaced.
constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
constexpr int kCallsPerMessage = 64;
constexpr std::size_t kMessageBytes = 256 << 10;  // Another call may come on top.

std::string Bytes(const PlayerId& player) {
  const auto& bytes = player.uuid.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string ToString(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!bytes.Dump(&slices).ok()) return out;
  for (const grpc::Slice& slice : slices) {
    out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return out;
}

grpc::Status StatusOf(const rules::v1::CallAnswer& answer) {
  if (!answer.has_error()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(answer.error().code()), answer.error().message(),
          answer.error().SerializeAsString()};
}

grpc::Status Lost() { return {grpc::StatusCode::UNAVAILABLE, "The stream was lost."}; }

}  // namespace

MoveClient::MoveClient(rules::v1::TableFeedService::Stub& stub, const rpc::Authenticator& inward,
                       Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls)
    : stub_(stub),
      inward_(inward),
      clock_(clock),
      scheduler_(scheduler),
      calls_(std::move(calls)) {}

void MoveClient::Open() {
  const std::lock_guard lock(mutex_);
  if (closed_ || leaving_) return;
  self_ = shared_from_this();
  start_ = clock_.Now();
  context_.emplace();
  inward_.Sign(*context_, rpc::Caller{.service = "gateway"});
  calls_.Started();
  stub_.async()->SubmitActions(&*context_, this);
  AddHold();  // Writes begin on other threads; given back when reads end.
  StartRead(&response_);
  StartCall();
}

std::uint64_t MoveClient::NewCall() {
  const std::lock_guard lock(mutex_);
  return open_ && !leaving_ ? ++last_call_ : 0;
}

void MoveClient::Start(std::uint64_t call, const PlayerId& player, const grpc::ByteBuffer& request,
                       std::string traceparent, absl::Duration timeout, Done done) {
  Pending pending{.expire_time = clock_.Now() + timeout, .done = std::move(done)};
  pending.call.set_call(call);
  pending.call.set_player(Bytes(player));
  pending.call.set_request(ToString(request));
  if (!traceparent.empty()) pending.call.set_traceparent(std::move(traceparent));
  pending.call.set_timeout_ms(static_cast<std::uint32_t>(absl::ToInt64Milliseconds(timeout)));
  {
    const std::lock_guard lock(mutex_);
    if (open_ && !left_) {
      pending_.emplace(call, std::move(pending));
      unwritten_.push_back(call);
      return Write();
    }
  }
  pending.done(Lost(), {});
}

void MoveClient::Write() {
  if (writing_ || !open_ || left_) return;
  request_.Clear();
  std::size_t bytes = 0;
  while (!unwritten_.empty() && request_.calls_size() < kCallsPerMessage && bytes < kMessageBytes) {
    const auto found = pending_.find(unwritten_.front());
    unwritten_.pop_front();
    if (found == pending_.end()) continue;
    bytes += found->second.call.request().size();
    request_.add_calls()->Swap(&found->second.call);
  }
  if (request_.calls_size() > 0) {
    writing_ = true;
    calls_.MessageSent();
    StartWrite(&request_);
  } else if (leaving_) {
    left_ = true;
    StartWritesDone();
  }
}

void MoveClient::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (ok) Write();
}

void MoveClient::OnReadDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    open_ = ok;
    if (ok) Write();  // Leave may have come before.
  }
  if (!ok) return RemoveHold();
  calls_.MessageReceived();
  for (const rules::v1::CallAnswer& answer : response_.answers()) {
    std::optional<Pending> pending = Take(answer.call());
    if (!pending) continue;
    const grpc::Slice slice(answer.response());
    pending->done(StatusOf(answer), grpc::ByteBuffer(&slice, 1));
  }
  StartRead(&response_);
}

std::optional<MoveClient::Pending> MoveClient::Take(std::uint64_t call) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(call);
  if (found == pending_.end()) return std::nullopt;
  std::optional<Pending> pending = std::move(found->second);
  pending_.erase(found);
  return pending;
}

void MoveClient::OnDone(const grpc::Status& status) {
  absl::flat_hash_map<std::uint64_t, Pending> lost;
  {
    const std::lock_guard lock(mutex_);
    calls_.Handled(static_cast<absl::StatusCode>(status.error_code()), clock_.Now() - start_);
    lost.swap(pending_);
    unwritten_.clear();
    writing_ = false;
    context_.reset();
  }
  for (auto& [call, pending] : lost) pending.done(Lost(), {});
  std::shared_ptr<MoveClient> last;  // Gone after the lock.
  const std::lock_guard lock(mutex_);
  last = std::move(self_);
  done_.notify_all();
  if (closed_ || leaving_) return;
  scheduler_.After(kReopenDelay, [weak = weak_from_this()] {
    if (const std::shared_ptr<MoveClient> client = weak.lock()) client->Open();
  });
}

void MoveClient::Cancel(std::uint64_t call) {
  std::optional<Pending> pending = Take(call);
  if (pending) pending->done(grpc::Status::CANCELLED, {});
}

void MoveClient::Tick() {
  std::vector<Pending> late;
  {
    const std::lock_guard lock(mutex_);
    const absl::Time now = clock_.Now();
    absl::erase_if(pending_, [&](auto& entry) {
      if (now < entry.second.expire_time) return false;
      late.push_back(std::move(entry.second));
      return true;
    });
  }
  for (Pending& pending : late) {
    pending.done({grpc::StatusCode::DEADLINE_EXCEEDED, "No answer in time."}, {});
  }
}

void MoveClient::Leave() {
  const std::lock_guard lock(mutex_);
  leaving_ = true;
  Write();
}

void MoveClient::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (context_) context_->TryCancel();
}

bool MoveClient::over() {
  const std::lock_guard lock(mutex_);
  return closed_ && self_ == nullptr;
}

void MoveClient::Wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return closed_ && self_ == nullptr; });
}

}  // namespace tarot::gateway
