#include "services/rules/transport/move_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/write_batch.h"
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
  absl::Time deadline;
  std::string traceparent;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

std::shared_ptr<MoveStream> MoveStream::Open(const Submit& submit, rpc::Dispatcher& dispatcher) {
  const std::shared_ptr<MoveStream> stream(new MoveStream(submit, dispatcher));
  stream->Begin();
  return stream;
}

MoveStream::MoveStream(const Submit& submit, rpc::Dispatcher& dispatcher)
    : ServerBidiStream(dispatcher.Method("tarot.rules.v1.TableFeedService/SubmitActions")),
      submit_(submit),
      dispatcher_(dispatcher) {}

bool MoveStream::OnRequest(v1::SubmitActionsRequest& request) {
  // The moves of a message share a statement of the log, and the refusals share a message.
  const WriteBatch writes;
  for (v1::PlayerCall& call : *request.mutable_calls()) Start(call);
  return true;
}

void MoveStream::Start(v1::PlayerCall& call) {
  const auto move = std::make_shared<Move>();
  move->call = call.call();
  move->deadline =
      dispatcher_.clock().Now() + absl::Milliseconds(static_cast<std::int64_t>(call.timeout_ms()));
  if (rpc::IsTraceParent(call.traceparent())) move->traceparent = call.traceparent();
  const grpc::Slice request(call.request());
  move->request = grpc::ByteBuffer(&request, 1);
  {
    const std::lock_guard lock(mutex());
    ++in_flight_;
  }
  const std::optional<PlayerId> player = ParsePlayer(call.player());
  if (!player || player->empty()) return Answer(*move, BadRequest("player", "not a player"));
  dispatcher_.InStream(
      kMethod, rpc::Caller{.player = *player}, rpc::IsSampled(move->traceparent),
      [this, move](const rpc::Caller& caller, rpc::Dispatcher::Finish finish) {
        submit_(
            {.context = {.caller = caller, .deadline = move->deadline, .trace = move->traceparent},
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
      [this, self = shared_from_this(), move](const absl::Status& status) {
        Answer(*move, status);
      });
}

void MoveStream::Answer(Move& move, const absl::Status& status) {
  v1::CallAnswer answer;
  answer.set_call(move.call);
  if (status.ok()) {
    answer.set_response(ToString(move.response));
  } else {
    // The details are the bytes of a google.rpc.Status, so parsing succeeds.
    (void)answer.mutable_error()->ParseFromString(status::ToGrpc(status).error_details());
  }
  {
    const std::lock_guard lock(mutex());
    --in_flight_;
    if (!lost_locked()) answers_.push_back(std::move(answer));
  }
  Advance();
}

bool MoveStream::MayReadLocked() const { return answers_.size() < kAnswersWaitingMax; }

bool MoveStream::TakeLocked() {
  if (answers_.empty()) return !std::exchange(hello_sent_, true);
  if (answers_.size() <= kAnswersPerMessage) {
    batch_.swap(answers_);
    return true;
  }
  const auto end = answers_.begin() + static_cast<std::ptrdiff_t>(kAnswersPerMessage);
  batch_.assign(std::make_move_iterator(answers_.begin()), std::make_move_iterator(end));
  answers_.erase(answers_.begin(), end);
  return true;
}

void MoveStream::Fill(v1::SubmitActionsResponse& response) {
  response.Clear();
  for (v1::CallAnswer& answer : batch_) response.add_answers()->Swap(&answer);
  batch_.clear();
}

}  // namespace tarot::rules_service
