#include "services/gateway/transport/player_watch.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <utility>

#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/gateway/app/errors.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::gateway_service {
namespace {

// Returns a slice that points to `bytes`, which belongs to `frame`. The slice keeps the frame
// alive.
grpc::Slice SliceOf(const std::shared_ptr<const Frame>& frame, const std::string& bytes) {
  using Owner = std::shared_ptr<const Frame>;
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* owner) { delete static_cast<Owner*>(owner); }, new Owner(frame));
}

// Returns the tag and the length of field 1 of a proto message. The value of this field has `size`
// bytes.
grpc::Slice Header(std::size_t size) {
  using google::protobuf::io::CodedOutputStream;
  std::array<std::uint8_t, 6> bytes;
  bytes[0] = 1 << 3 | 2;
  const std::uint8_t* const end =
      CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), bytes.data() + 1);
  return grpc::Slice(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

// Returns the bytes of all fields of a WatchTableResponse except field 1.
grpc::Slice OtherFields(const Frame& frame, absl::Time now) {
  rules::v1::WatchTableResponse response;
  wire::EncodeTime(now, response.mutable_server_time());
  for (const int seat : frame.disconnected_seats) {
    response.add_disconnected_seats(static_cast<std::uint32_t>(seat));
  }
  return grpc::Slice(response.SerializeAsString());
}

// Returns the WatchTableResponse for `player`.
grpc::ByteBuffer ResponseOf(const std::shared_ptr<const Frame>& frame, const PlayerId& player,
                            absl::Time now) {
  const auto own = std::find_if(frame->parts.begin(), frame->parts.end(),
                                [&](const Frame::Part& part) { return part.player == player; });
  if (own == frame->parts.end()) {
    const std::array<grpc::Slice, 3> slices = {
        Header(frame->shared.size()), SliceOf(frame, frame->shared), OtherFields(*frame, now)};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }
  const std::array<grpc::Slice, 4> slices = {Header(frame->shared.size() + own->own.size()),
                                             SliceOf(frame, frame->shared),
                                             SliceOf(frame, own->own), OtherFields(*frame, now)};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace

std::shared_ptr<PlayerWatch> PlayerWatch::Open(const Route& route, const SlotHolder& holder,
                                               TableHub& hub, Clock& clock, Metrics& metrics,
                                               const grpc::CallbackServerContext& context,
                                               CallOwner& owner) {
  const std::shared_ptr<PlayerWatch> watch(
      new PlayerWatch(route, holder, hub, clock, metrics, context, owner));
  watch->BeginCounted();  // Forwarder has already counted the start of this call.
  return watch;
}

PlayerWatch::PlayerWatch(const Route& route, const SlotHolder& holder, TableHub& hub, Clock& clock,
                         Metrics& metrics, const grpc::CallbackServerContext& context,
                         CallOwner& owner)
    : ServerBidiStream(route.server),
      route_(route),
      holder_(holder),
      hub_(hub),
      clock_(clock),
      metrics_(metrics),
      context_(context),
      owner_(owner) {}

// The first message is the request. A second message is an error.
bool PlayerWatch::OnRequest(grpc::ByteBuffer& bytes) {
  rules::v1::WatchTableRequest request;
  if (table_) {
    Close(NotOneMessage());
  } else if (!grpc::SerializationTraits<rules::v1::WatchTableRequest>::Deserialize(&bytes, &request)
                  .ok()) {
    Close(BadRequest("request", "not a message of this method"));
  } else if (table_ = ParseTableName(request.name()); !table_) {
    Close(BadRequest("name", "tables/{uuid}"));
  }
  after_revision_ = request.has_after_revision() ? request.after_revision() : -1;
  bytes.Clear();
  return true;
}

void PlayerWatch::OnRequestsDone() {
  // This function also runs if the player resets the call. Then no stream begins.
  if (context_.IsCancelled()) return Close(absl::CancelledError("The client is gone."));
  if (!table_) return Close(NotOneMessage());
  if (const absl::Status slot = owner_.TakeSlot(context_, route_, std::nullopt, holder_);
      !slot.ok()) {
    return Close(slot);
  }
  has_slot_ = true;
  const absl::Status watched =
      hub_.Watch(*table_, holder_.player, holder_.address, after_revision_,
                 std::static_pointer_cast<PlayerWatch>(shared_from_this()));
  watched_ = watched.ok();
  if (!watched_) Close(watched);
}

void PlayerWatch::Show(const std::shared_ptr<const Frame>& frame) {
  {
    const std::lock_guard lock(mutex());
    const std::pair newest(frame->revision, frame->connections_version);
    if (closing_locked() || newest < newest_) return;
    if (waiting_ != nullptr) metrics_.frames_replaced.Increment();
    newest_ = newest;
    waiting_ = frame;
  }
  Advance();
}

void PlayerWatch::SendAway() { CloseNow(ServiceAway(route_.upstream->name())); }

void PlayerWatch::Refuse(const absl::Status& why) { CloseNow(why); }

bool PlayerWatch::TakeLocked() {
  if (waiting_ == nullptr) return false;
  writing_since_ = waiting_->arrive_time;
  taken_ = std::move(waiting_);
  return true;
}

void PlayerWatch::Fill(grpc::ByteBuffer& message) {
  message = ResponseOf(taken_, holder_.player, clock_.Now());
  taken_ = nullptr;
}

void PlayerWatch::OnWritten() {
  response().Clear();  // A quiet stream must not keep the frame in memory.
  metrics_.frames_sent.Increment();
  if (writing_since_ == absl::InfiniteFuture()) return;
  metrics_.watch_lag_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - writing_since_));
}

void PlayerWatch::OnOver() {
  if (watched_) hub_.Unwatch(*table_, this);
  if (has_slot_) owner_.ReturnSlot(route_, std::nullopt, holder_);
  owner_.CallDone(context_, holder_, this);
}

}  // namespace tarot::gateway_service
