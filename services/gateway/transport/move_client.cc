#include "services/gateway/transport/move_client.h"

#include <string>
#include <utility>
#include <vector>

#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

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

MoveClient::MoveClient(rules::v1::TableFeedService::Stub& stub, const rpc::Authenticator& identity,
                       Clock& clock, Scheduler& scheduler, rpc::MethodMetrics calls)
    : ClientBidiStream(scheduler, std::move(calls)),
      stub_(stub),
      identity_(identity),
      clock_(clock) {}

void MoveClient::BindLocked(grpc::ClientContext& context) {
  identity_.Sign(context, Caller{.service = "gateway"});
  stub_.async()->SubmitActions(&context, this);
}

std::uint64_t MoveClient::NewCall() {
  const std::lock_guard lock(mutex());
  return heard() && !leaving_ ? ++last_call_ : 0;
}

void MoveClient::Start(std::uint64_t call, const PlayerId& player, const grpc::ByteBuffer& request,
                       std::string traceparent, absl::Duration timeout, Done done) {
  PendingMove pending{.expire_time = clock_.Now() + timeout, .done = std::move(done)};
  pending.call.set_call(call);
  pending.call.set_player(Bytes(player));
  pending.call.set_request(ToString(request));
  if (!traceparent.empty()) pending.call.set_traceparent(std::move(traceparent));
  pending.call.set_timeout_ms(static_cast<std::uint32_t>(absl::ToInt64Milliseconds(timeout)));
  {
    const std::lock_guard lock(mutex());
    if (heard() && !ended_locked()) {
      pending_.emplace(call, std::move(pending));
      unwritten_.push_back(call);
      return AdvanceLocked();
    }
  }
  pending.done(Lost(), {});
}

MoveClient::Next MoveClient::TakeLocked(rules::v1::SubmitActionsRequest& request) {
  if (!heard() || (unwritten_.empty() && !leaving_)) return Next::kNothing;
  request.Clear();
  std::size_t bytes = 0;
  while (!unwritten_.empty() && request.calls_size() < kMovesPerMessage &&
         bytes < kMoveMessageBytes) {
    const auto found = pending_.find(unwritten_.front());
    unwritten_.pop_front();
    if (found == pending_.end()) continue;
    bytes += found->second.call.request().size();
    request.add_calls()->Swap(&found->second.call);
  }
  if (request.calls_size() > 0) return Next::kMessage;
  return leaving_ ? Next::kEnd : Next::kNothing;
}

void MoveClient::OnMessage(rules::v1::SubmitActionsResponse& response) {
  for (const rules::v1::CallAnswer& answer : response.answers()) {
    std::optional<PendingMove> pending = Take(answer.call());
    if (!pending) continue;
    const grpc::Slice slice(answer.response());
    pending->done(StatusOf(answer), grpc::ByteBuffer(&slice, 1));
  }
}

std::optional<MoveClient::PendingMove> MoveClient::Take(std::uint64_t call) {
  const std::lock_guard lock(mutex());
  const auto found = pending_.find(call);
  if (found == pending_.end()) return std::nullopt;
  std::optional<PendingMove> pending = std::move(found->second);
  pending_.erase(found);
  return pending;
}

std::optional<absl::Duration> MoveClient::OnLost(const grpc::Status&, int) {
  absl::flat_hash_map<std::uint64_t, PendingMove> lost;
  bool leaving = false;
  {
    const std::lock_guard lock(mutex());
    lost.swap(pending_);
    unwritten_.clear();
    leaving = leaving_;
  }
  for (auto& [call, pending] : lost) pending.done(Lost(), {});
  if (leaving) return std::nullopt;
  // Opens again even if the replica does not know this method, because a later release may know it.
  return kReopenDelay;
}

void MoveClient::Cancel(std::uint64_t call) {
  std::optional<PendingMove> pending = Take(call);
  if (pending) pending->done(grpc::Status::CANCELLED, {});
}

void MoveClient::Tick() {
  std::vector<PendingMove> late;
  {
    const std::lock_guard lock(mutex());
    const absl::Time now = clock_.Now();
    absl::erase_if(pending_, [&](auto& entry) {
      if (now < entry.second.expire_time) return false;
      late.push_back(std::move(entry.second));
      return true;
    });
  }
  for (PendingMove& pending : late) {
    pending.done({grpc::StatusCode::DEADLINE_EXCEEDED, "No answer in time."}, {});
  }
}

void MoveClient::Leave() {
  const std::lock_guard lock(mutex());
  leaving_ = true;
  AdvanceLocked();
}

}  // namespace tarot::gateway_service
