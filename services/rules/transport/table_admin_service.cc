#include "services/rules/transport/table_admin_service.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/match.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/wire/rule_set.h"
#include "services/rules/limits.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/table_call.h"
#include "services/rules/transport/table_views.h"

namespace tarot::rules_service {
namespace {

absl::Duration DecodeDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
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
  const bool control = std::any_of(command.reason.begin(), command.reason.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (command.reason.empty() || command.reason.size() > kVoidReasonBytesMax || control) {
    return BadRequest("reason", absl::StrCat("1 to ", kVoidReasonBytesMax,
                                             " bytes of text without control characters"));
  }
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

}  // namespace tarot::rules_service
