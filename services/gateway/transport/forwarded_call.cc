#include "services/gateway/transport/forwarded_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/rpc/call_log.h"
#include "libs/rpc/client_network.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"

namespace tarot::gateway_service {
namespace {

// Returns true for the methods that need the network or the region of the client.
bool NeedsPlace(absl::string_view path) {
  return path == "/tarot.matchmaking.v1.MatchmakingService/CreateTicket" ||
         path == "/tarot.rules.v1.TableService/GetTable" ||
         path == "/tarot.bot.v1.AnalysisService/AnalyzeDeal";
}

gpr_timespec Span(absl::Duration duration) {
  return gpr_time_from_millis(absl::ToInt64Milliseconds(duration), GPR_TIMESPAN);
}

gpr_timespec InnerDeadline(const grpc::CallbackServerContext& context, bool streaming) {
  const gpr_timespec outer = gpr_time_sub(
      gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC), Span(kDeadlineMargin));
  if (streaming) return outer;
  const gpr_timespec longest = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), Span(kUnaryTimeoutMax));
  return gpr_time_min(outer, longest);
}

}  // namespace

ForwardedCall::ForwardedCall(const Route& route, SlotHolder holder, std::string display_name,
                             std::string traceparent, const std::string& region,
                             const rpc::Authenticator& identity, Clock& clock,
                             const grpc::CallbackServerContext& context, CallOwner& owner)
    : route_(route),
      holder_(std::move(holder)),
      display_name_(std::move(display_name)),
      traceparent_(std::move(traceparent)),
      region_(region),
      identity_(identity),
      clock_(clock),
      context_(context),
      owner_(owner),
      start_(clock.Now()) {
  StartRead(&request_);
}

// The first read gets the request. The second read must get the end of the messages. Only then is
// the call forwarded. So a call that is refused here has changed nothing.
void ForwardedCall::OnReadDone(bool ok) {
  if (ok && !have_request_) {
    have_request_ = true;
    route_.server.MessageReceived();
    StartRead(&message_);
  } else if (context_.IsCancelled()) {
    // The second read also fails if the player resets the call. Without this check, the service
    // would do work although no client waits for the answer.
    End(grpc::Status::CANCELLED);
  } else if (ok || !have_request_) {
    End(status::ToGrpc(NotOneMessage()));
  } else if (!IsWellFormed(route_, request_)) {
    End(status::ToGrpc(BadRequest("request", "not a message of this method")));
  } else {
    cell_ = route_.upstream->CellOfRequest(request_);
    const absl::Status slot = owner_.TakeSlot(context_, route_, cell_, holder_);
    if (!slot.ok()) return End(status::ToGrpc(slot));
    has_slot_ = true;
    StartInner();
  }
}

bool ForwardedCall::StartAsMove() {
  if (!route_.move || channel_->moves == nullptr) return false;
  const std::uint64_t move = channel_->moves->NewCall();
  if (move == 0) return false;
  move_ = move;
  route_.client.Started();
  route_.client.MessageSent();
  const gpr_timespec left =
      gpr_time_sub(InnerDeadline(context_, false), gpr_now(GPR_CLOCK_MONOTONIC));
  const auto timeout = absl::Milliseconds(std::max(0, gpr_time_to_millis(left)));
  channel_->moves->Start(move, holder_.player, request_, traceparent_, timeout,
                         [this](const grpc::Status& status, grpc::ByteBuffer answer) {
                           message_ = std::move(answer);
                           InnerDone(status);
                         });
  return true;  // The call may already be over, and this object may be destroyed.
}

void ForwardedCall::StartInner() {
  inner_start_ = clock_.Now();
  channel_ = route_.upstream->Choose(request_);
  if (StartAsMove()) return;
  identity_.Sign(inner_context_,
                 rpc::Caller{.player = holder_.player, .display_name = display_name_});
  rpc::PassTraceOn(traceparent_, inner_context_);
  if (NeedsPlace(route_.path)) {
    const std::string network = NetworkOf(holder_.address);
    if (!network.empty()) inner_context_.AddMetadata(rpc::kClientNetworkMetadata, network);
    if (!region_.empty()) inner_context_.AddMetadata(rpc::kClientRegionMetadata, region_);
  }
  inner_context_.set_deadline(InnerDeadline(context_, route_.streaming));
  if (!channel_->Add(&inner_context_))
    return End(status::ToGrpc(ServiceAway(route_.upstream->name())));
  route_.client.Started();
  route_.client.MessageSent();
  grpc::GenericStub& stub = channel_->stub;
  if (!route_.streaming) {
    stub.PrepareUnaryCall(&inner_context_, route_.path, grpc::StubOptions(), &request_, &message_,
                          &unary_);
    unary_.StartCall();
    return;
  }
  stub.PrepareBidiStreamingCall(&inner_context_, route_.path, grpc::StubOptions(), &stream_);
  // Each later read starts when the previous message has been written to the player. The hold of
  // gRPC keeps the inner call open between two reads.
  stream_.AddHold();
  stream_.StartWriteLast(&request_, grpc::WriteOptions());
  stream_.StartRead(&message_);
  stream_.StartCall();
}

void ForwardedCall::CancelInner() {
  const std::uint64_t move = move_;
  if (move == 0) return inner_context_.TryCancel();
  channel_->moves->Cancel(move);
}

void ForwardedCall::Refuse(const absl::Status& why) {
  if (!refused_) refusal_ = status::ToGrpc(why);
  refused_ = true;
  CancelInner();
}

void ForwardedCall::InnerRead(bool ok) {
  if (!ok) return stream_.RemoveHold();
  route_.client.MessageReceived();
  StartWrite(&message_);
}

void ForwardedCall::OnWriteDone(bool ok) {
  if (ok) {
    route_.server.MessageSent();
    stream_.StartRead(&message_);
  } else {  // The player is gone.
    CancelInner();
    stream_.RemoveHold();
  }
}

void ForwardedCall::InnerDone(const grpc::Status& status) {
  channel_->Remove(&inner_context_);
  const absl::Time now = clock_.Now();
  inner_time_ = now - inner_start_;
  route_.client.Handled(static_cast<absl::StatusCode>(status.error_code()), inner_time_);
  if (!status.ok() || route_.streaming) return End(Outward(status));
  route_.client.MessageReceived();
  route_.server.MessageSent();
  NoteEnd(absl::StatusCode::kOk, status);
  ReturnSlot();  // A client that does not read its answer must not keep the slot.
  StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
}

// Returns the status for the player. Usually it is the status of the service. The player gets
// SERVICE_AWAY in three cases:
//   - UNAVAILABLE without details: it comes from gRPC itself, and its text has inner addresses.
//   - CANCELLED, although the player has not cancelled: the service stops, or got the move after
//   its deadline.
//   - UNAUTHENTICATED: the service has refused the token of the gateway, not of the player.
grpc::Status ForwardedCall::Outward(const grpc::Status& inner) const {
  if (refused_) return refusal_;
  const grpc::StatusCode code = inner.error_code();
  const bool lost = (code == grpc::StatusCode::UNAVAILABLE && inner.error_details().empty()) ||
                    (code == grpc::StatusCode::CANCELLED && !context_.IsCancelled());
  if (lost || code == grpc::StatusCode::UNAUTHENTICATED) {
    return status::ToGrpc(ServiceAway(route_.upstream->name()));
  }
  return inner;
}

void ForwardedCall::NoteEnd(absl::StatusCode code, const grpc::Status& status) {
  const absl::Time now = clock_.Now();
  if (code == absl::StatusCode::kUnavailable) {
    route_.server.Handled(status::FromGrpc(status), now - start_);
  } else {
    route_.server.Handled(code, now - start_);
  }
  // Streams and cancelled calls get no line in the log. docs/streams.md lists the reasons why
  // streams end.
  if (route_.streaming || code == absl::StatusCode::kCancelled) return;
  absl::AnyInvocable<rpc::CallSubject()> describe = [this] {
    const bool reached = inner_start_ != absl::InfiniteFuture();
    return rpc::CallSubject{.trace_id = rpc::TraceIdOf(traceparent_),
                            .upstream = reached ? std::string(route_.upstream->name()) : "",
                            .upstream_time = inner_time_};
  };
  rpc::LogCall({.method = absl::StripPrefix(route_.path, "/"),
                .status = status::FromGrpc(status),
                .waited = std::min(inner_start_, now) - start_,
                .elapsed = now - start_,
                .sampled = rpc::IsSampled(traceparent_)},
               now, describe);
}

void ForwardedCall::End(const grpc::Status& status) {
  const absl::StatusCode code = context_.IsCancelled()
                                    ? absl::StatusCode::kCancelled
                                    : static_cast<absl::StatusCode>(status.error_code());
  NoteEnd(code, status);
  if (!route_.streaming) ReturnSlot();
  Finish(status);
}

void ForwardedCall::ReturnSlot() {
  if (std::exchange(has_slot_, false)) owner_.ReturnSlot(route_, cell_, holder_);
}

void ForwardedCall::OnDone() {
  ReturnSlot();
  owner_.CallDone(context_, holder_, route_.streaming ? this : nullptr);
  delete this;
}

}  // namespace tarot::gateway_service
