#include "services/matchmaking/transport/upstream_clients.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/rpc/current_trace.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/values.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

constexpr char kBatchGetRatings[] = "tarot.ratings.v1.RatingService/BatchGetRatings";
constexpr char kCreateTables[] = "tarot.rules.v1.TableAdminService/BatchCreateTables";
constexpr char kGetCapacity[] = "tarot.rules.v1.TableAdminService/GetCapacity";
constexpr char kGetMatchEnd[] = "tarot.rules.v1.TableAdminService/GetMatchEnd";
constexpr char kGetTable[] = "tarot.rules.v1.TableService/GetTable";

// One unary call to another service, with a deadline and metrics. The call is signed for `caller`,
// which is matchmaking itself or a player. The object lives until the answer arrives.
template <typename Request, typename Response>
struct UpstreamCall {
  UpstreamCall(const rpc::Authenticator& identity, absl::Duration timeout, rpc::MethodMetrics m,
               Clock& c, const Caller& caller = {.service = "matchmaking"})
      : metrics(std::move(m)), clock(c), start(c.Now()) {
    identity.Sign(*context, caller);
    rpc::PassTraceOn(rpc::CurrentTrace(), *context);
    rpc::SetTimeout(*context, timeout);
    metrics.Started();
    metrics.MessageSent();
  }

  absl::Status Ended(const grpc::Status& status) const {
    const absl::Status ended = status::FromGrpc(status);
    if (ended.ok()) metrics.MessageReceived();
    metrics.Handled(ended.code(), clock.Now() - start);
    return ended;
  }

  std::optional<grpc::ClientContext> context{std::in_place};
  Request request;
  Response response;
  rpc::MethodMetrics metrics;
  Clock& clock;
  const absl::Time start;
};

void EncodeTable(const PlannedTable& table, rules::v1::CreateTableRequest* out) {
  out->set_name(absl::StrCat("tables/", table.id.ToString()));
  for (const PlannedSeat& seat : table.seats) {
    rules::v1::Seat* encoded = out->add_seats();
    encoded->set_player(absl::StrCat("players/", seat.player.ToString()));
    encoded->set_display_name(seat.display_name);
    encoded->set_bot_level(seat.bot_level);
  }
  if (table.terms.rules) {
    wire::EncodeRuleSet(*table.terms.rules, out->mutable_rules());
  } else {
    out->set_rule_set(table.terms.rule_set);
  }
  out->set_deal_count(static_cast<std::uint32_t>(table.terms.deal_count));
  wire::EncodeDuration(table.terms.move_limit, out->mutable_clocks()->mutable_move_limit());
  wire::EncodeDuration(table.terms.time_bank, out->mutable_clocks()->mutable_time_bank());
  out->set_ranked(table.terms.ranked);
  if (table.terms.take_back) out->mutable_options()->set_take_back(true);
  if (table.terms.breaks) out->mutable_options()->set_breaks(true);
}

absl::Status ResultOf(const rules::v1::BatchCreateTablesResponse& response, int place) {
  if (place >= response.results_size()) return absl::UnknownError("The answer has no result.");
  const google::rpc::Status& result = response.results(place);
  return status::FromGrpc(
      {static_cast<grpc::StatusCode>(result.code()), result.message(), result.SerializeAsString()});
}

}  // namespace

// Collects the answers of the batches. When the last answer has arrived, calls `done`.
struct GrpcRatingClient::Gathering {
  void Add(const absl::StatusOr<ratings::v1::BatchGetRatingsResponse>& answer) {
    std::unique_lock lock(mutex);
    if (!answer.ok()) {
      status = answer.status();
    } else {
      for (const ratings::v1::Rating& rating : answer->ratings()) {
        absl::string_view player = rating.player();
        if (!absl::ConsumePrefix(&player, "players/")) continue;
        const std::optional<PlayerId> id = PlayerId::Parse(player);
        if (id) result[*id] = static_cast<int>(std::lround(rating.rating()));
      }
    }
    if (--batches_missing > 0) return;
    lock.unlock();
    if (status.ok()) {
      done(std::move(result));
    } else {
      done(status);
    }
  }

  std::mutex mutex;
  std::size_t batches_missing = 0;
  absl::Status status;
  Ratings result;
  Done done;
};

GrpcRatingClient::GrpcRatingClient(const std::shared_ptr<grpc::Channel>& channel,
                                   const rpc::Authenticator& identity, rpc::CallMetrics& metrics,
                                   Clock& clock)
    : stub_(ratings::v1::RatingService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method(kBatchGetRatings)),
      clock_(clock) {}

void GrpcRatingClient::GetRatings(const std::vector<PlayerId>& players, int player_count,
                                  Done done) {
  const auto gathering = std::make_shared<Gathering>();
  gathering->done = std::move(done);
  gathering->batches_missing = (players.size() + kRatingsBatchMax - 1) / kRatingsBatchMax;
  for (std::size_t at = 0; at < players.size(); at += kRatingsBatchMax) {
    AskBatch(absl::MakeConstSpan(players).subspan(at, kRatingsBatchMax), player_count, gathering);
  }
}

void GrpcRatingClient::AskBatch(absl::Span<const PlayerId> players, int player_count,
                                const std::shared_ptr<Gathering>& gathering) {
  using Call =
      UpstreamCall<ratings::v1::BatchGetRatingsRequest, ratings::v1::BatchGetRatingsResponse>;
  const auto call = std::make_shared<Call>(identity_, kGetRatingsTimeout, metrics_, clock_);
  call->request.set_player_count(static_cast<std::uint32_t>(player_count));
  for (const PlayerId player : players) {
    call->request.add_players(absl::StrCat("players/", player.ToString()));
  }
  if (!pending_.Add(call->context)) {
    return gathering->Add(error::Stopping());
  }
  stub_->async()->BatchGetRatings(&*call->context, &call->request, &call->response,
                                  [this, call, gathering](const grpc::Status& status) {
                                    const absl::Status ended = call->Ended(status);
                                    if (ended.ok()) {
                                      gathering->Add(std::move(call->response));
                                    } else {
                                      gathering->Add(ended);
                                    }
                                    pending_.Remove(call->context);
                                  });
}

GrpcTableClient::GrpcTableClient(const rpc::Cells& cells, const rpc::Authenticator& identity,
                                 rpc::CallMetrics& metrics, Clock& clock)
    : silent_(clock, kSilentCellPause),
      identity_(identity),
      metrics_(metrics.Method(kCreateTables)),
      capacity_metrics_(metrics.Method(kGetCapacity)),
      get_table_metrics_(metrics.Method(kGetTable)),
      match_end_metrics_(metrics.Method(kGetMatchEnd)),
      clock_(clock) {
  for (const auto& [number, cell] : cells) {
    const auto channel = rpc::MakeServiceChannel("rules", cell.addresses);
    cells_[number] = {.admin = rules::v1::TableAdminService::NewStub(channel),
                      .tables = rules::v1::TableService::NewStub(channel)};
  }
}

void GrpcTableClient::CreateTables(const std::vector<PlannedTable>& tables,
                                   TableClient::Done done) {
  using Call =
      UpstreamCall<rules::v1::BatchCreateTablesRequest, rules::v1::BatchCreateTablesResponse>;
  Answers answers;
  const auto cell = cells_.find(CellOf(tables.at(0).id.uuid));
  if (cell == cells_.end()) {
    for (const PlannedTable& table : tables) answers.emplace_back(table.id, error::CellUnknown());
    return done(answers);
  }
  const auto call = std::make_shared<Call>(identity_, kCreateTablesTimeout, metrics_, clock_);
  for (const PlannedTable& table : tables) {
    EncodeTable(table, call->request.add_requests());
    answers.emplace_back(table.id, error::Stopping());
  }
  if (!pending_.Add(call->context)) return done(answers);
  cell->second.admin->async()->BatchCreateTables(
      &*call->context, &call->request, &call->response,
      [this, call, answers = std::move(answers),
       done = std::move(done)](const grpc::Status& status) mutable {
        const absl::Status ended = call->Ended(status);
        for (std::size_t i = 0; i < answers.size(); ++i) {
          answers[i].second = ended.ok() ? ResultOf(call->response, static_cast<int>(i)) : ended;
        }
        done(answers);
        pending_.Remove(call->context);
      });
}

void GrpcTableClient::GetCapacity(int cell, CapacityClient::Done done) {
  using Call = UpstreamCall<rules::v1::GetCapacityRequest, rules::v1::GetCapacityResponse>;
  const auto call =
      std::make_shared<Call>(identity_, kGetCapacityTimeout, capacity_metrics_, clock_);
  call->request.set_cell(static_cast<std::uint32_t>(cell));
  if (!pending_.Add(call->context)) return done(error::Stopping());
  cells_.at(cell).admin->async()->GetCapacity(
      &*call->context, &call->request, &call->response,
      [this, call, done = std::move(done)](const grpc::Status& status) {
        const absl::Status ended = call->Ended(status);
        if (ended.ok()) {
          done(call->response.free_table_count());
        } else {
          done(ended);
        }
        pending_.Remove(call->context);
      });
}

template <typename Call>
absl::Status GrpcTableClient::InCellOf(TableId table, Call call) {
  const int cell = CellOf(table.uuid);
  if (!silent_.MayAsk(cell)) return error::RulesAway();
  const absl::Status ended = call(rpc::CellOrFirst(cells_, cell));
  absl::IsDeadlineExceeded(ended) ? silent_.NoteSilence(cell) : silent_.NoteAnswer(cell);
  return ended;
}

absl::StatusOr<int> GrpcTableClient::CountDeals(const Caller& caller, TableId table) {
  UpstreamCall<rules::v1::GetTableRequest, rules::v1::GetTableResponse> call(
      identity_, kGetTableTimeout, get_table_metrics_, clock_, caller);
  call.request.set_name(absl::StrCat("tables/", table.ToString()));
  if (!pending_.Add(call.context)) return error::Stopping();
  const absl::Status ended = InCellOf(table, [&](Cell& cell) {
    return call.Ended(cell.tables->GetTable(&*call.context, call.request, &call.response));
  });
  pending_.Remove(call.context);
  TAROT_RETURN_IF_ERROR(ended);
  return static_cast<int>(call.response.table().deal_number());
}

absl::StatusOr<std::optional<std::vector<PlayerId>>> GrpcTableClient::FindLeftPlayers(
    TableId table) {
  UpstreamCall<rules::v1::GetMatchEndRequest, rules::v1::GetMatchEndResponse> call(
      identity_, kGetTableTimeout, match_end_metrics_, clock_);
  call.request.set_name(absl::StrCat("tables/", table.ToString()));
  if (!pending_.Add(call.context)) return error::Stopping();
  const absl::Status ended = InCellOf(table, [&](Cell& cell) {
    return call.Ended(cell.admin->GetMatchEnd(&*call.context, call.request, &call.response));
  });
  pending_.Remove(call.context);
  TAROT_RETURN_IF_ERROR(ended);
  if (!call.response.over()) return std::nullopt;
  std::vector<PlayerId> left;
  for (const std::string& player : call.response.left_players()) {
    TAROT_ASSIGN_OR_RETURN(const PlayerId id,
                           wire::DecodeName<PlayerId>(player, "players/", "left_players"));
    left.push_back(id);
  }
  return left;
}

}  // namespace tarot::matchmaking_service
