#include "services/rules/transport/table_admin_service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/wire/rule_set.h"
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
      .rule_set = request.has_rules() ? rules::RuleSetText(rules) : request.rule_set(),
      .rules = rules,
      .deal_count = usual ? rules.end_default : static_cast<int>(request.deal_count()),
      .move_limit = DecodeDuration(request.clocks().move_limit()),
      .time_bank = DecodeDuration(request.clocks().time_bank()),
      .ranked = request.ranked()};
  for (const v1::Seat& seat : request.seats()) {
    SeatConfig& out = config.seats.emplace_back();
    TAROT_ASSIGN_OR_RETURN(out.player, ParsePlayerName(seat.player(), "seats.player"));
    out.display_name = seat.display_name();
    out.bot_level = seat.bot_level();
  }
  return config;
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

}  // namespace tarot::rules_service
