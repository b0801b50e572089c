#include "services/bot/transport/rules_client.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/cell.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/rpc/call.h"
#include "libs/rpc/current_trace.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "libs/wire/finished_deal.h"
#include "services/bot/app/errors.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {
namespace {

namespace rv = ::tarot::rules::v1;

absl::StatusOr<FinishedDeal> DecodeDeal(const rv::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, wire::DecodeRecord(record, "record"));
  return FinishedDealOf(document);
}

// Returns the cell of the deal "tables/{uuid}/deals/{number}". A malformed name gives cell 0.
int CellOfDeal(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "tables/")) return 0;
  const std::optional<TableId> table = TableId::Parse(name.substr(0, name.find('/')));
  return table ? CellOf(table->uuid) : 0;
}

// One call to the rules service. It lives until its answer arrives.
template <typename Request, typename Response>
struct Call {
  Call(const rpc::Authenticator& identity, const Caller& player, rpc::MethodMetrics m)
      : metrics(std::move(m)) {
    identity.Sign(*context, {.player = player.player, .display_name = player.display_name});
    rpc::PassTraceOn(rpc::CurrentTrace(), *context);
    rpc::SetTimeout(*context, kRulesTimeout);
    metrics.Started();
    metrics.MessageSent();
  }

  // Returns SERVICE_AWAY for an error without a reason, which comes from gRPC, and for a refused
  // token. Returns every other status unchanged.
  absl::Status Ended(const grpc::Status& status) const {
    const absl::Status ended = status::FromGrpc(status);
    if (ended.ok()) metrics.MessageReceived();
    metrics.Handled(ended.code(), watch.Elapsed());
    const bool lost = !ended.ok() && GetErrorDetails(ended).reason.empty();
    return lost || absl::IsUnauthenticated(ended) ? error::RulesAway() : ended;
  }

  std::optional<grpc::ClientContext> context{std::in_place};
  Request request;
  Response response;
  const rpc::MethodMetrics metrics;
  const Stopwatch watch;
};

}  // namespace

absl::StatusOr<FinishedDeal> FinishedDealOf(const notation::Document& document) {
  TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(document.record));
  if (!replayed.problem.empty()) {
    return BadRequest(absl::StrCat("record.entries[", replayed.legal, "]"), replayed.problem);
  }
  if (replayed.deal.phase != rules::Phase::kDone) {
    return BadRequest("record.entries", "must play the deal to its end");
  }
  FinishedDeal deal{.players = document.record.players, .first_chair = document.record.first_chair};
  TAROT_ASSIGN_OR_RETURN(deal.history.start, notation::Start(document.record));
  for (const notation::Entry& entry : document.record.entries) {
    deal.history.entries.emplace_back(entry.seat, entry.action);
  }
  return deal;
}

GrpcRulesClient::GrpcRulesClient(const rpc::Cells& cells, const rpc::Authenticator& identity,
                                 rpc::CallMetrics& calls)
    : identity_(identity),
      find_metrics_(calls.Method("tarot.rules.v1.TableService/ListTables")),
      get_metrics_(calls.Method("tarot.rules.v1.RecordService/GetRecord")) {
  for (const auto& [number, cell] : cells) {
    const auto channel = rpc::MakeServiceChannel("rules", cell.addresses);
    if (tables_ == nullptr) tables_ = rv::TableService::NewStub(channel);
    records_[number] = rv::RecordService::NewStub(channel);
  }
}

void GrpcRulesClient::FindLiveTable(const Caller& player,
                                    std::function<void(absl::StatusOr<std::string>)> done) {
  const auto call = std::make_shared<Call<rv::ListTablesRequest, rv::ListTablesResponse>>(
      identity_, player, find_metrics_);
  call->request.set_player(absl::StrCat("players/", player.player.ToString()));
  call->request.set_page_size(1);
  if (!pending_.Add(call->context)) return done(error::RulesAway());
  tables_->async()->ListTables(&*call->context, &call->request, &call->response,
                               [this, call, done = std::move(done)](const grpc::Status& status) {
                                 const absl::Status ended = call->Ended(status);
                                 const rv::ListTablesResponse& list = call->response;
                                 // An empty page with a token leaves out a table that could not be
                                 // read.
                                 const bool whole =
                                     list.silent_cells().empty() &&
                                     (!list.tables().empty() || list.next_page_token().empty());
                                 if (!ended.ok()) {
                                   done(ended);
                                 } else if (!whole) {
                                   done(error::RulesAway());
                                 } else if (call->response.tables().empty()) {
                                   done("");
                                 } else {
                                   done(call->response.tables(0).name());
                                 }
                                 pending_.Remove(call->context);
                               });
}

void GrpcRulesClient::GetDeal(const Caller& player, const std::string& name,
                              std::function<void(absl::StatusOr<FinishedDeal>)> done) {
  const auto call = std::make_shared<Call<rv::GetRecordRequest, rv::GetRecordResponse>>(
      identity_, player, get_metrics_);
  call->request.set_name(name);
  if (!pending_.Add(call->context)) return done(error::RulesAway());
  rpc::CellOrFirst(records_, CellOfDeal(name))
      ->async()
      ->GetRecord(&*call->context, &call->request, &call->response,
                  [this, call, done = std::move(done)](const grpc::Status& status) {
                    const absl::Status ended = call->Ended(status);
                    done(ended.ok() ? DecodeDeal(call->response.record()) : ended);
                    pending_.Remove(call->context);
                  });
}

}  // namespace tarot::bot_service
