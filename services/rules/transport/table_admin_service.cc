#include "services/rules/transport/table_admin_service.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "libs/rules/match.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/status/wire.h"
#include "libs/wire/rule_set.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/finished_deals.h"
#include "services/rules/limits.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/table_call.h"
#include "services/rules/transport/table_views.h"

namespace tarot::rules_service {
namespace {

absl::Duration DecodeDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::Status CheckReason(const std::string& reason) {
  const bool control = std::any_of(reason.begin(), reason.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!reason.empty() && reason.size() <= kVoidReasonBytesMax && !control) return absl::OkStatus();
  return BadRequest("reason", absl::StrCat("1 to ", kVoidReasonBytesMax,
                                           " bytes of text without control characters"));
}

}  // namespace

absl::StatusOr<TableConfig> Decode(TableId table, const v1::CreateTableRequest& request) {
  if (!request.has_rules() && rules::FindRuleSet(request.rule_set()) == nullptr) {
    return BadRequest("rule_set", "must be the name of a rule set");
  }
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetOf(request, "rules"));
  const bool usual = request.deal_count() == 0;
  TableConfig config{
      .id = table,
      .rule_set = request.has_rules() ? rules::NearestRuleSetText(rules) : request.rule_set(),
      .rules = rules,
      .deal_count = usual ? rules.end_default : static_cast<int>(request.deal_count()),
      .move_limit = DecodeDuration(request.clocks().move_limit()),
      .time_bank = DecodeDuration(request.clocks().time_bank()),
      .ranked = request.ranked(),
      .take_back = request.options().take_back(),
      .breaks = request.options().breaks()};
  for (const v1::Seat& seat : request.seats()) {
    SeatConfig& out = config.seats.emplace_back();
    TAROT_ASSIGN_OR_RETURN(out.player, ParsePlayerName(seat.player(), "seats.player"));
    out.display_name = seat.display_name();
    out.bot_level = seat.bot_level();
  }
  return config;
}

absl::StatusOr<VoidCommand> Decode(const v1::VoidDealRequest& request) {
  VoidCommand command{.deal_number = static_cast<int>(request.deal_number()),
                      .reason = request.reason()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  const int deals_max = rules::DealsDealtMax(kDealCountMax);
  if (command.deal_number < 1 || command.deal_number > deals_max) {
    return BadRequest("deal_number", absl::StrCat("1 to ", deals_max));
  }
  TAROT_RETURN_IF_ERROR(CheckReason(command.reason));
  return command;
}

absl::StatusOr<VoidCommand> Decode(const v1::EndMatchRequest& request) {
  VoidCommand command{.reason = request.reason(), .ends_match = true};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  TAROT_RETURN_IF_ERROR(CheckReason(command.reason));
  return command;
}

grpc::ServerUnaryReactor* GrpcTableAdminService::CreateTable(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::CreateTableRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableAdminService/CreateTable",
      rpc::Access::kService, request, response,
      [this, response](const RequestContext& table, const v1::CreateTableRequest& message,
                       rpc::Dispatcher::Finish finish) {
        if (CellOf(table.table.uuid) != cell_) return finish(WrongCell(cell_));
        absl::StatusOr<TableConfig> config = Decode(table.table, message);
        if (!config.ok()) return finish(config.status());
        const absl::StatusOr<TableView> view = tables_.Create(*std::move(config));
        if (!view.ok()) return finish(view.status());
        v1::CreateTableResponse answer;
        EncodeTable(*view, answer.mutable_table());
        *response = Bytes(answer);
        finish(absl::OkStatus());
      });
}

// A BatchCreateTables call. It has one part for each host. The object lives until all parts are
// finished.
struct GrpcTableAdminService::Batch {
  // For each i, stores part_results[i] as the result of request places[i]. After the last part,
  // finishes the call.
  void EndPart(const std::vector<int>& places, const std::vector<absl::Status>& part_results) {
    std::unique_lock lock(mutex);
    for (std::size_t i = 0; i < places.size(); ++i) SetResult(places[i], part_results[i]);
    if (--parts_left > 0) return;
    lock.unlock();
    response = Bytes(answer);
    finish(absl::OkStatus());
  }
  void SetResult(int place, const absl::Status& result) {
    // The details are the bytes of a google.rpc.Status, so parsing succeeds.
    (void)answer.mutable_results(place)->ParseFromString(status::ToGrpc(result).error_details());
  }

  v1::BatchCreateTablesRequest request;
  // tables[i] is the id of the table of requests(i). It is empty if the name is malformed.
  std::vector<TableId> tables;
  grpc::ByteBuffer& response;
  rpc::Dispatcher::Finish finish;
  std::mutex mutex;  // Guards the members below.
  v1::BatchCreateTablesResponse answer;
  std::size_t parts_left = 1;
};

void GrpcTableAdminService::CreateHere(const std::shared_ptr<Batch>& batch,
                                       const std::vector<int>& places) {
  std::vector<absl::Status> results;
  std::vector<TableConfig> configs;
  for (const int place : places) {
    absl::StatusOr<TableConfig> config =
        Decode(batch->tables[static_cast<std::size_t>(place)], batch->request.requests(place));
    results.push_back(config.status());
    if (config.ok()) configs.push_back(*std::move(config));
  }
  const std::vector<absl::Status> created = tables_.CreateMany(std::move(configs));
  std::size_t next = 0;
  for (absl::Status& result : results) {
    if (result.ok()) result = created[next++];
  }
  batch->EndPart(places, results);
}

grpc::ServerUnaryReactor* GrpcTableAdminService::BatchCreateTables(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  static constexpr char kMethod[] = "tarot.rules.v1.TableAdminService/BatchCreateTables";
  return dispatcher_.UnaryLater(
      context, kMethod, rpc::Access::kService,
      [=, this](const rpc::Caller& caller, rpc::Dispatcher::Finish finish) {
        absl::StatusOr<v1::BatchCreateTablesRequest> message =
            Parse<v1::BatchCreateTablesRequest>(*request);
        if (!message.ok()) return finish(message.status());
        const int size = message->requests_size();
        if (size < 1 || size > kTablesPerBatchMax) {
          return finish(BadRequest("requests", absl::StrCat("1 to ", kTablesPerBatchMax)));
        }
        const std::shared_ptr<Batch> batch(new Batch{
            .request = *std::move(message), .response = *response, .finish = std::move(finish)});
        const bool forwarded = HostRouter::Forwarded(*context);
        std::map<std::string, std::vector<int>> places_by_host;
        std::set<TableId> names;
        for (int place = 0; place < size; ++place) {
          batch->answer.add_results();
          const absl::StatusOr<TableId> table =
              ParseTableName(batch->request.requests(place).name(), "requests.name");
          batch->tables.push_back(table.value_or(TableId()));
          if (!table.ok()) {
            batch->SetResult(place, table.status());
          } else if (!names.insert(*table).second) {
            batch->SetResult(place, BadRequest("requests.name", "must not appear twice"));
          } else if (CellOf(table->uuid) != cell_) {
            batch->SetResult(place, WrongCell(cell_));
          } else {
            places_by_host[forwarded ? "" : router_.HostOf(*table)].push_back(place);
          }
        }
        const std::vector<int> here = std::exchange(places_by_host[""], {});
        places_by_host.erase("");
        batch->parts_left += places_by_host.size();
        for (const auto& [host, places] : places_by_host) {
          struct Part {
            grpc::ByteBuffer request, response;
          };
          const auto part = std::make_shared<Part>();
          v1::BatchCreateTablesRequest of_host;
          for (const int place : places) *of_host.add_requests() = batch->request.requests(place);
          part->request = Bytes(of_host);
          rpc::Dispatcher::Finish done = [batch, part, places = places](const absl::Status& ended) {
            std::vector<absl::Status> results(places.size(), ended);
            const auto answer = Parse<v1::BatchCreateTablesResponse>(part->response);
            for (std::size_t i = 0; ended.ok() && i < places.size(); ++i) {
              if (!answer.ok() || i >= static_cast<std::size_t>(answer->results_size())) {
                results[i] = HostAway();
                continue;
              }
              const google::rpc::Status& result = answer->results(static_cast<int>(i));
              results[i] = status::FromGrpc({static_cast<grpc::StatusCode>(result.code()),
                                             result.message(), result.SerializeAsString()});
            }
            batch->EndPart(places, results);
          };
          const bool sent = router_.Forward(
              {.context = {.caller = caller,
                           .table = batch->tables[static_cast<std::size_t>(places.front())],
                           .deadline = router_.DeadlineOf(*context),
                           .trace = rpc::TraceParentOf(*context)},
               .forwarded = false,
               .method = kMethod,
               .request = part->request,
               .response = part->response},
              done);
          if (!sent) CreateHere(batch, places);  // This replica hosts these tables now.
        }
        CreateHere(batch, here);
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::GetCapacity(grpc::CallbackServerContext* context,
                                                             const v1::GetCapacityRequest* request,
                                                             v1::GetCapacityResponse* response) {
  return dispatcher_.Unary(context, "tarot.rules.v1.TableAdminService/GetCapacity",
                           rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                             if (request->cell() != static_cast<std::uint32_t>(cell_)) {
                               return WrongCell(cell_);
                             }
                             response->set_free_table_count(free_tables_());
                             return absl::OkStatus();
                           });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::VoidDeal(grpc::CallbackServerContext* context,
                                                          const grpc::ByteBuffer* request,
                                                          grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::VoidDealRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableAdminService/VoidDeal",
      rpc::Access::kService, request, response,
      [this, response](const RequestContext& table, const v1::VoidDealRequest& message,
                       rpc::Dispatcher::Finish finish) {
        absl::StatusOr<VoidCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.VoidDeal(
            table.table, *std::move(command),
            [response, finish = std::move(finish)](const absl::StatusOr<SeatView>& voided) mutable {
              if (!voided.ok()) return finish(voided.status());
              v1::VoidDealResponse answer;
              EncodeTable(MakeTableView(*voided->state, rules::kNoSeat), answer.mutable_table());
              *response = Bytes(answer);
              finish(absl::OkStatus());
            });
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::EndMatch(grpc::CallbackServerContext* context,
                                                          const grpc::ByteBuffer* request,
                                                          grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::EndMatchRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableAdminService/EndMatch",
      rpc::Access::kService, request, response,
      [this, response](const RequestContext& table, const v1::EndMatchRequest& message,
                       rpc::Dispatcher::Finish finish) {
        absl::StatusOr<VoidCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.VoidDeal(
            table.table, *std::move(command),
            [response, finish = std::move(finish)](const absl::StatusOr<SeatView>& ended) mutable {
              if (!ended.ok()) return finish(ended.status());
              v1::EndMatchResponse answer;
              EncodeTable(MakeTableView(*ended->state, rules::kNoSeat), answer.mutable_table());
              *response = Bytes(answer);
              finish(absl::OkStatus());
            });
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::GetMatchEnd(grpc::CallbackServerContext* context,
                                                             const v1::GetMatchEndRequest* request,
                                                             v1::GetMatchEndResponse* response) {
  return list_dispatcher_.Unary(
      context, "tarot.rules.v1.TableAdminService/GetMatchEnd", rpc::Access::kService,
      [=, this](const rpc::Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const TableId table, ParseTableName(request->name(), "name"));
        TAROT_ASSIGN_OR_RETURN(const std::optional<std::vector<PlayerId>> left,
                               FindMatchEnd(store_, table));
        response->set_over(left.has_value());
        if (!left) return absl::OkStatus();
        for (const PlayerId player : *left) response->add_left_players(PlayerName(player));
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::GetTableLog(grpc::CallbackServerContext* context,
                                                             const v1::GetTableLogRequest* request,
                                                             v1::GetTableLogResponse* response) {
  return list_dispatcher_.Unary(
      context, "tarot.rules.v1.TableAdminService/GetTableLog", rpc::Access::kService,
      [=, this](const rpc::Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const TableId table, ParseTableName(request->name(), "name"));
        if (request->page_size() < 0) return BadRequest("page_size", "must not be negative");
        const int wanted = request->page_size() == 0 ? kLogPageMax : request->page_size();
        const auto size = static_cast<std::size_t>(std::min(wanted, kLogPageMax));
        std::size_t begin = 0;
        if (!request->page_token().empty() && !absl::SimpleAtoi(request->page_token(), &begin)) {
          return BadRequest("page_token", "does not belong to this list");
        }
        TAROT_ASSIGN_OR_RETURN(const StoredTable stored, store_.Load(table));
        begin = std::min(begin, stored.log.size());
        const std::size_t end = std::min(begin + size, stored.log.size());
        for (std::size_t i = begin; i < end; ++i) {
          EncodeLogEntry(stored.log[i], response->add_entries());
        }
        if (end < stored.log.size()) response->set_next_page_token(absl::StrCat(end));
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::ExportPlayer(
    grpc::CallbackServerContext* context, const v1::ExportPlayerRequest* request,
    v1::ExportPlayerResponse* response) {
  return list_dispatcher_.Unary(
      context, "tarot.rules.v1.TableAdminService/ExportPlayer", rpc::Access::kService,
      [=, this](const rpc::Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const PlayerId player, ParsePlayerName(request->player(), "player"));
        TAROT_ASSIGN_OR_RETURN(*response->mutable_json(), players_.Export(player));
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* GrpcTableAdminService::DeletePlayer(
    grpc::CallbackServerContext* context, const v1::DeletePlayerRequest* request,
    v1::DeletePlayerResponse* response) {
  return list_dispatcher_.Unary(
      context, "tarot.rules.v1.TableAdminService/DeletePlayer", rpc::Access::kService,
      [=, this](const rpc::Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const PlayerId player, ParsePlayerName(request->player(), "player"));
        TAROT_ASSIGN_OR_RETURN(const DeletedSeats deleted, players_.Delete(player));
        if (!deleted.busy.empty()) return PlayerPlays(deleted.busy);
        response->set_seat_count(static_cast<std::uint32_t>(deleted.seats));
        return absl::OkStatus();
      });
}

}  // namespace tarot::rules_service
