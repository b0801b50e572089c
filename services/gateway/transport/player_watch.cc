#include "services/gateway/transport/player_watch.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <utility>

#include "libs/base/error.h"
#include "libs/status/wire.h"
#include "services/gateway/app/service_away.h"
#include "services/gateway/transport/table_name.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::gateway {
namespace {

// `bytes` of `frame`, which stays as long as they do.
grpc::Slice SliceOf(const std::shared_ptr<const Frame>& frame, const std::string& bytes) {
  using Owner = std::shared_ptr<const Frame>;
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* owner) { delete static_cast<Owner*>(owner); }, new Owner(frame));
}

// The tag and the length of field 1.
grpc::Slice Header(std::size_t size) {
  using google::protobuf::io::CodedOutputStream;
  std::array<std::uint8_t, 6> bytes;
  bytes[0] = 1 << 3 | 2;
  const std::uint8_t* const end =
      CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), bytes.data() + 1);
  return grpc::Slice(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

// The WatchTableResponse for `player`.
grpc::ByteBuffer ResponseOf(const std::shared_ptr<const Frame>& frame, const PlayerId& player) {
  const auto own = std::find_if(frame->parts.begin(), frame->parts.end(),
                                [&](const Frame::Part& part) { return part.player == player; });
  if (own == frame->parts.end()) {
    const std::array<grpc::Slice, 2> slices = {Header(frame->shared.size()),
                                               SliceOf(frame, frame->shared)};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }
  const std::array<grpc::Slice, 3> slices = {Header(frame->shared.size() + own->own.size()),
                                             SliceOf(frame, frame->shared),
                                             SliceOf(frame, own->own)};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace

std::shared_ptr<PlayerWatch> PlayerWatch::Open(const Route& route, const Player& player,
                                               TableHub& hub, Clock& clock, Metrics& metrics,
                                               CallOwner& owner) {
  const std::shared_ptr<PlayerWatch> watch(
      new PlayerWatch(route, player, hub, clock, metrics, owner));
  watch->self_ = watch;
  watch->StartRead(&watch->message_);
  return watch;
}

PlayerWatch::PlayerWatch(const Route& route, const Player& player, TableHub& hub, Clock& clock,
                         Metrics& metrics, CallOwner& owner)
    : route_(route),
      player_(player.id),
      hub_(hub),
      clock_(clock),
      metrics_(metrics),
      owner_(owner),
      start_(clock.Now()) {}

// The first read brings the request, the second must bring the end.
void PlayerWatch::OnReadDone(bool ok) {
  if (ok && !have_request_) {
    have_request_ = true;
    route_.server.MessageReceived();
    grpc::ByteBuffer request;
    request.Swap(&message_);
    rules::v1::WatchTableRequest parsed;
    if (!grpc::SerializationTraits<rules::v1::WatchTableRequest>::Deserialize(&request, &parsed)
             .ok()) {
      return End(BadRequest("request", "not a message of this method"));
    }
    after_revision_ = parsed.has_after_revision() ? parsed.after_revision() : -1;
    table_ = ParseTableName(parsed.name());
    if (!table_) return End(BadRequest("name", "tables/{uuid}"));
    return StartRead(&message_);
  }
  if (ok || !have_request_) {
    return End(Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
                     "This method takes exactly one message."));
  }
  watched_ = true;
  hub_.Watch(*table_, after_revision_, shared_from_this());
}

void PlayerWatch::Show(const std::shared_ptr<const Frame>& frame) {
  const std::lock_guard lock(mutex_);
  if (closing_ || frame->revision < revision_) return;
  if (waiting_ != nullptr) metrics_.frames_replaced.Increment();
  revision_ = frame->revision;
  waiting_ = frame;
  Advance();
}

void PlayerWatch::End(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  closing_ = status;
  Advance();
}

void PlayerWatch::SendAway() {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  waiting_ = nullptr;  // A client that does not read must not hold up the one who stops.
  closing_ = ServiceAway(route_.peer->name());
  Advance();
}

void PlayerWatch::Advance() {
  if (writing_ || finished_) return;
  if (waiting_ != nullptr) {
    writing_ = true;
    writing_since_ = waiting_->arrive_time;
    message_ = ResponseOf(waiting_, player_);
    waiting_ = nullptr;
    StartWrite(&message_);
  } else if (closing_) {
    finished_ = true;
    Finish(status::ToGrpc(*closing_));
  }
}

void PlayerWatch::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    message_.Clear();  // A quiet stream holds no frame.
    if (ok) Advance();
  }
  if (!ok) return OnCancel();
  route_.server.MessageSent();
  metrics_.frames_sent.Increment();
  metrics_.watch_lag_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - writing_since_));
}

void PlayerWatch::OnCancel() {
  const std::lock_guard lock(mutex_);
  waiting_ = nullptr;
  if (!closing_) closing_ = absl::CancelledError("The watcher is gone.");
  Advance();
}

void PlayerWatch::OnDone() {
  const std::shared_ptr<PlayerWatch> last = std::move(self_);
  if (watched_) hub_.Unwatch(*table_, this);
  absl::StatusCode code;
  {
    const std::lock_guard lock(mutex_);
    code = closing_->code();
  }
  route_.server.Handled(code, clock_.Now() - start_);
  owner_.StreamDone(*this, player_);
}

}  // namespace tarot::gateway
