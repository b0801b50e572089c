#include "services/rules/transport/move_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "libs/base/error.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "services/rules/limits.h"
#include "services/rules/transport/table_call.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::rules_service {
namespace {

constexpr char kMethod[] = "tarot.rules.v1.TableService/SubmitAction";

std::optional<PlayerId> ParsePlayer(const std::string& bytes) {
  std::array<std::uint8_t, 16> id;
  if (bytes.size() != id.size()) return std::nullopt;
  std::memcpy(id.data(), bytes.data(), id.size());
  return PlayerId{Uuid(id)};
}

std::string ToString(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!bytes.Dump(&slices).ok()) return out;
  out.reserve(bytes.Length());
  for (const grpc::Slice& slice : slices) {
    out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return out;
}

}  // namespace

struct MoveStream::Move {
  std::uint64_t call = 0;
  gpr_timespec deadline;
  absl::Time deadline_time;  // The same by the dispatcher's clock.
  std::string traceparent;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

std::shared_ptr<MoveStream> MoveStream::Open(const Submit& submit, rpc::Dispatcher& dispatcher) {
  const std::shared_ptr<MoveStream> stream(new MoveStream(submit, dispatcher));
  stream->self_ = stream;
  const std::lock_guard lock(stream->mutex_);
  stream->Read();
  stream->writing_ = true;
  stream->StartWrite(&stream->response_);  // Empty: calls may come.
  return stream;
}

MoveStream::MoveStream(const Submit& submit, rpc::Dispatcher& dispatcher)
    : submit_(submit),
      dispatcher_(dispatcher),
      calls_(dispatcher.Method("tarot.rules.v1.TableFeedService/SubmitActions")),
      start_(dispatcher.clock().Now()) {
  calls_.Started();
}

void MoveStream::OnReadDone(bool ok) {
  if (!ok) return Close(absl::OkStatus());
  calls_.MessageReceived();
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;  // It may be a stranger's: nothing of it is begun.
  }
  for (v1::PlayerCall& call : *request_.mutable_calls()) Start(call);
  const std::lock_guard lock(mutex_);
  reading_ = false;
  Read();
}

void MoveStream::Start(v1::PlayerCall& call) {
  const auto move = std::make_shared<Move>();
  move->call = call.call();
  move->deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                gpr_time_from_millis(call.timeout_ms(), GPR_TIMESPAN));
  move->deadline_time =
      dispatcher_.clock().Now() + absl::Milliseconds(static_cast<std::int64_t>(call.timeout_ms()));
  if (rpc::IsTraceParent(call.traceparent())) move->traceparent = call.traceparent();
  const grpc::Slice request(call.request());
  move->request = grpc::ByteBuffer(&request, 1);
  {
    const std::lock_guard lock(mutex_);
    ++in_flight_;
  }
  const std::optional<PlayerId> player = ParsePlayer(call.player());
  if (!player || player->empty()) return Answer(*move, BadRequest("player", "not a player"));
  dispatcher_.InStream(
      kMethod, rpc::Caller{.player = *player},
      [move] { return gpr_time_cmp(gpr_now(GPR_CLOCK_MONOTONIC), move->deadline) > 0; },
      [this, move](const rpc::Caller& caller, rpc::Dispatcher::Finish finish) {
        submit_({.context = {.caller = caller,
                             .deadline = move->deadline_time,
                             .trace = move->traceparent},
                 .forwarded = false,
                 .method = kMethod,
                 .request = move->request,
                 .response = move->response},
                std::move(finish));
      },
      [move] {
        auto subject = SubjectOf<v1::SubmitActionRequest>(move->request);
        subject.trace_id = rpc::TraceIdOf(move->traceparent);
        return subject;
      },
      [self = shared_from_this(), move](const absl::Status& status) {
        self->Answer(*move, status);
      });
}

void MoveStream::Answer(Move& move, const absl::Status& status) {
  v1::CallAnswer answer;
  answer.set_call(move.call);
  if (status.ok()) {
    answer.set_response(ToString(move.response));
  } else {
    // Its bytes are a google.rpc.Status, and parse.
    (void)answer.mutable_error()->ParseFromString(status::ToGrpc(status).error_details());
  }
  const std::lock_guard lock(mutex_);
  --in_flight_;
  if (!lost_) answers_.push_back(std::move(answer));
  Write();
}

void MoveStream::Close(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  if (!closing_) closing_ = status;
  Write();
}

void MoveStream::Read() {
  if (reading_ || closing_ || answers_.size() >= kAnswersWaitingMax) return;
  reading_ = true;
  StartRead(&request_);
}

void MoveStream::Write() {
  if (writing_ || finished_) return;
  if (!answers_.empty()) {
    writing_ = true;
    response_.Clear();
    const std::size_t count = std::min(answers_.size(), kAnswersPerMessage);
    for (std::size_t i = 0; i < count; ++i) response_.add_answers()->Swap(&answers_[i]);
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(count));
    StartWrite(&response_);
  } else if (closing_ && (in_flight_ == 0 || lost_)) {
    finished_ = true;
    Finish(status::ToGrpc(*closing_));
  }
}

void MoveStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok) {
      Write();
      Read();
    }
  }
  if (!ok) return OnCancel();
  calls_.MessageSent();
}

void MoveStream::OnCancel() {
  const std::lock_guard lock(mutex_);
  lost_ = true;
  answers_.clear();
  if (!closing_) closing_ = absl::CancelledError("The gateway is gone.");
  Write();
}

void MoveStream::OnDone() {
  const std::shared_ptr<MoveStream> last = std::move(self_);
  const std::lock_guard lock(mutex_);
  calls_.Handled(closing_->code(), dispatcher_.clock().Now() - start_);
}

}  // namespace tarot::rules_service
