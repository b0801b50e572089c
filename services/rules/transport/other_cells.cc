#include "services/rules/transport/other_cells.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "libs/base/cell.h"
#include "libs/rpc/call.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"
#include "services/rules/transport/host_router.h"

namespace tarot::rules_service {

// The answers to one list. The object lives until the last answer.
struct OtherCells::Gathering {
  void Add(int cell, absl::StatusOr<grpc::ByteBuffer> answer) {
    {
      const std::lock_guard lock(mutex);
      answers.insert_or_assign(cell, std::move(answer));
      if (--missing > 0) return;
    }
    done(std::move(answers));
  }

  grpc::ByteBuffer request;
  absl::AnyInvocable<void(Answers)> done;
  std::mutex mutex;  // Guards the members below.
  Answers answers;
  std::size_t missing = 0;
};

// The call to one cell.
struct OtherCells::Flight {
  std::optional<grpc::ClientContext> context{std::in_place};
  grpc::ByteBuffer response;
  Stopwatch watch;
};

OtherCells::Cell::Cell(const std::string& addresses)
    : stub(rpc::MakeServiceChannel("rules", addresses)) {}

OtherCells::OtherCells(const rpc::Cells& cells, int own, std::function<bool()> fresh,
                       const rpc::Authenticator& identity, Clock& clock, rpc::CallMetrics& calls)
    : own_(own),
      fresh_(std::move(fresh)),
      identity_(identity),
      clock_(clock),
      calls_(calls),
      silent_(clock, kSilentCellPause) {
  // There are no other cells, even if `cells` is the default of --cells, which names cell 0.
  if (cells.size() == 1) return;
  for (const auto& [number, cell] : cells) {
    if (number != own) cells_.try_emplace(number, cell.addresses);
  }
}

void OtherCells::Stop() { pending_.Stop(); }

bool OtherCells::OwnHasRows(const Call& call) const {
  return call.forwarded || !call.table || !cells_.contains(CellOf(call.table->uuid));
}

std::vector<int> OtherCells::OthersWithRows(const Call& call) const {
  std::vector<int> others;
  if (call.forwarded) return others;
  for (const auto& [number, cell] : cells_) {
    if (!call.table || CellOf(call.table->uuid) == number) others.push_back(number);
  }
  return others;
}

void OtherCells::NoteEnd(int cell, bool had_whole_time, const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) return silent_.NoteAnswer(cell);
  if (had_whole_time) silent_.NoteSilence(cell);
}

void OtherCells::Ask(const std::vector<int>& cells, const Call& call,
                     const grpc::ByteBuffer& request, absl::AnyInvocable<void(Answers)> done) {
  if (cells.empty()) return done({});
  const auto gathering = std::make_shared<Gathering>();
  gathering->request = request;
  gathering->done = std::move(done);
  gathering->missing = cells.size();
  for (const int cell : cells) {
    const auto flight = std::make_shared<Flight>();
    if (!silent_.MayAsk(cell) || !pending_.Add(flight->context)) {
      gathering->Add(cell, HostAway());
      continue;
    }
    identity_.Sign(*flight->context, call.caller);
    HostRouter::MarkForwarded(*flight->context);
    rpc::PassTraceOn(call.trace, *flight->context);
    const absl::Duration left = call.deadline - clock_.Now() - kForwardDeadlineMargin;
    rpc::SetTimeout(*flight->context, std::min(left, kOtherCellTimeout));
    rpc::MethodMetrics method = calls_.Method(call.method);
    method.Started();
    method.MessageSent();
    cells_.at(cell).stub.UnaryCall(
        &*flight->context, absl::StrCat("/", call.method), grpc::StubOptions(), &gathering->request,
        &flight->response,
        [this, cell, gathering, flight, method,
         had_whole_time = left >= kOtherCellTimeout](const grpc::Status& status) mutable {
          method.Handled(static_cast<absl::StatusCode>(status.error_code()),
                         flight->watch.Elapsed());
          if (status.ok()) method.MessageReceived();
          NoteEnd(cell, had_whole_time, status);
          if (status.ok()) {
            gathering->Add(cell, std::move(flight->response));
          } else {
            gathering->Add(cell, status::FromGrpc(status));
          }
          pending_.Remove(flight->context);
        });
  }
}

}  // namespace tarot::rules_service
