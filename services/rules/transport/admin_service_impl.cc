#include "services/rules/transport/admin_service_impl.h"

#include "libs/base/status_macros.h"
#include "libs/wire/values.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/names.h"
#include "services/rules/transport/pages.h"
#include "services/rules/transport/table_call.h"

namespace tarot::rules_service {

using rpc::Access;
using rpc::Caller;

grpc::ServerUnaryReactor* TableAdminServiceImpl::CreateTable(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::CreateTableRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableAdminService/CreateTable",
      Access::kService, request, response,
      [this, response](const RequestContext&, const v1::CreateTableRequest& message,
                       rpc::Dispatcher::Finish finish) {
        absl::StatusOr<TableConfig> config = Decode(message);
        if (!config.ok()) return finish(config.status());
        const absl::StatusOr<TableView> view = tables_.Create(*std::move(config));
        if (!view.ok()) return finish(view.status());
        v1::CreateTableResponse answer;
        EncodeTable(*view, answer.mutable_table());
        *response = Bytes(answer);
        finish(absl::OkStatus());
      });
}

grpc::ServerUnaryReactor* RecordServiceImpl::GetRecord(grpc::CallbackServerContext* context,
                                                       const v1::GetRecordRequest* request,
                                                       v1::GetRecordResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RecordService/GetRecord", Access::kPlayer,
      [=, this](const Caller&) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const DealId id, ParseDealName(request->name(), "name"));
        TAROT_ASSIGN_OR_RETURN(const DealRecord record, records_.Get(id.table, id.number));
        EncodeRecord(record, response->mutable_record());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* RecordServiceImpl::ListRecords(grpc::CallbackServerContext* context,
                                                         const v1::ListRecordsRequest* request,
                                                         v1::ListRecordsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RecordService/ListRecords", Access::kPlayer,
      [=, this](const Caller&) -> absl::Status {
        DealQuery query;
        if (!request->player().empty()) {
          TAROT_ASSIGN_OR_RETURN(query.player, ParsePlayerName(request->player(), "player"));
        }
        if (!request->table().empty()) {
          TAROT_ASSIGN_OR_RETURN(query.table, ParseTableName(request->table(), "table"));
        }
        if (request->has_start_time()) {
          TAROT_ASSIGN_OR_RETURN(query.start_time,
                                 wire::DecodeTime(request->start_time(), "start_time"));
        }
        if (request->has_end_time()) {
          TAROT_ASSIGN_OR_RETURN(query.end_time, wire::DecodeTime(request->end_time(), "end_time"));
        }
        TAROT_ASSIGN_OR_RETURN(query.limit, PageSize(request->page_size()));
        TAROT_ASSIGN_OR_RETURN(query.after, ParseDealPageToken(request->page_token()));
        TAROT_ASSIGN_OR_RETURN(const std::vector<DealRecord> records, records_.List(query));
        for (const DealRecord& record : records) {
          EncodeRecordSummary(record, response->add_records());
        }
        const bool full = static_cast<int>(records.size()) == query.limit;
        if (full) response->set_next_page_token(PageToken(records.back().key));
        return absl::OkStatus();
      });
}

}  // namespace tarot::rules_service
