#include "services/rules/transport/list_gatherer.h"

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
struct ListGatherer::Gathering {
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
struct ListGatherer::Flight {
  std::optional<grpc::ClientContext> context{std::in_place};
  grpc::ByteBuffer response;
  Stopwatch watch;
};

ListGatherer::Cell::Cell(const std::string& addresses)
    : stub(rpc::MakeServiceChannel("rules", addresses)) {}

ListGatherer::ListGatherer(const rpc::Cells& cells, rpc::Dispatcher& dispatcher,
                           const rpc::Authenticator& identity, Clock& clock,
                           rpc::CallMetrics& calls)
    : dispatcher_(dispatcher),
      identity_(identity),
      clock_(clock),
      calls_(calls),
      silent_(clock, kSilentCellPause) {
  for (const auto& [number, cell] : cells) cells_.try_emplace(number, cell.addresses);
}

void ListGatherer::Stop() { pending_.Stop(); }

bool ListGatherer::Gathers(const grpc::CallbackServerContext& context) const {
  return cells_.size() > 1 && !HostRouter::Forwarded(context);
}

std::vector<int> ListGatherer::CellsWithRows(const Call& call) const {
  std::vector<int> all;
  for (const auto& [number, cell] : cells_) all.push_back(number);
  if (!call.table) return all;
  // A table of an unknown cell does not exist. Any cell may say so.
  const int cell = CellOf(call.table->uuid);
  return {cells_.contains(cell) ? cell : all.front()};
}

void ListGatherer::NoteEnd(int cell, bool had_whole_time, const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) return silent_.NoteAnswer(cell);
  if (had_whole_time) silent_.NoteSilence(cell);
}

void ListGatherer::Ask(const Call& call, const grpc::ByteBuffer& request,
                       absl::AnyInvocable<void(Answers)> done) {
  const std::vector<int> cells = CellsWithRows(call);
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
    rpc::SetTimeout(*flight->context, std::min(left, kCellTimeout));
    rpc::MethodMetrics method = calls_.Method(call.method);
    method.Started();
    method.MessageSent();
    cells_.at(cell).stub.UnaryCall(
        &*flight->context, absl::StrCat("/", call.method), grpc::StubOptions(), &gathering->request,
        &flight->response,
        [this, cell, gathering, flight, method,
         had_whole_time = left >= kCellTimeout](const grpc::Status& status) mutable {
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
