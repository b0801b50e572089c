#include "services/rules/transport/table_service_impl.h"

#include <memory>
#include <utility>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/encoded_table.h"
#include "services/rules/transport/names.h"
#include "services/rules/transport/pages.h"
#include "services/rules/transport/table_call.h"
#include "services/rules/transport/table_watcher.h"

namespace tarot::rules_service {

using rpc::Access;
using rpc::Caller;

namespace {

// Puts the table into `response`, whose field 1 it is, and ends the call.
TableService::Done Answer(grpc::ByteBuffer* response, rpc::Dispatcher::Finish finish) {
  return [response, finish = std::move(finish)](const absl::StatusOr<SeatView>& sight) mutable {
    if (sight.ok()) *response = TableResponse(*sight->state, sight->viewer);
    finish(sight.status());
  };
}

// Answers a SubmitAction of a table that is hosted here.
auto SubmitHere(TableService& tables, grpc::ByteBuffer* response) {
  return [&tables, response](const RequestContext& context, const v1::SubmitActionRequest& message,
                             rpc::Dispatcher::Finish finish) {
    const absl::StatusOr<SubmitCommand> command = Decode(message);
    if (!command.ok()) return finish(command.status());
    tables.Submit(context, *command, Answer(response, std::move(finish)));
  };
}

}  // namespace

grpc::ServerUnaryReactor* TableServiceImpl::GetTable(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::GetTableRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/GetTable", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::GetTableRequest&,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<TableView> view = tables_.Get(call);
        if (!view.ok()) return finish(view.status());
        v1::GetTableResponse answer;
        EncodeTable(*view, answer.mutable_table());
        *response = Bytes(answer);
        finish(absl::OkStatus());
      });
}

grpc::ServerUnaryReactor* TableServiceImpl::ListTables(grpc::CallbackServerContext* context,
                                                       const v1::ListTablesRequest* request,
                                                       v1::ListTablesResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.TableService/ListTables", Access::kPlayer,
      [=, this](const Caller& caller) -> absl::Status {
        TableQuery query{.show_finished = request->show_finished()};
        if (!request->player().empty()) {
          TAROT_ASSIGN_OR_RETURN(query.player, ParsePlayerName(request->player(), "player"));
        }
        TAROT_ASSIGN_OR_RETURN(query.limit, PageSize(request->page_size()));
        TAROT_ASSIGN_OR_RETURN(query.after, ParseTablePageToken(request->page_token()));
        TAROT_ASSIGN_OR_RETURN(const std::vector<TableKey> keys, store_.ListTables(query));
        std::vector<TableId> tables;
        for (const TableKey& key : keys) tables.push_back(key.table);
        TAROT_ASSIGN_OR_RETURN(const std::vector<TableView> views,
                               tables_.GetMany(tables, caller.player));
        for (const TableView& view : views) EncodeTableSummary(view, response->add_tables());
        const bool full = static_cast<int>(keys.size()) == query.limit;
        if (full) response->set_next_page_token(PageToken(keys.back()));
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* TableServiceImpl::SubmitAction(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::SubmitActionRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/SubmitAction", Access::kPlayer,
      request, response, SubmitHere(tables_, response));
}

void TableServiceImpl::Submit(const HostRouter::Call& call, rpc::Dispatcher::Finish finish) {
  auto here = SubmitHere(tables_, &call.response);
  AnswerTableCall<v1::SubmitActionRequest>(router_, call, std::move(finish), here);
}

grpc::ServerUnaryReactor* TableServiceImpl::ResumeSeat(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request,
                                                       grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::ResumeSeatRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/ResumeSeat", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::ResumeSeatRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<RequestId> id = ParseRequestId(message.request_id(), "request_id");
        if (!id.ok()) return finish(id.status());
        tables_.Resume(call, *id, Answer(response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* TableServiceImpl::AddNonce(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::AddNonceRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/AddNonce", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::AddNonceRequest& message,
                       rpc::Dispatcher::Finish finish) {
        absl::StatusOr<NonceCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.AddNonce(call, *std::move(command), Answer(response, std::move(finish)));
      });
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* TableServiceImpl::WatchTable(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* bytes) {
  const std::shared_ptr<TableWatcher> watcher = TableWatcher::Create(
      dispatcher_.clock(), dispatcher_.Method("tarot.rules.v1.TableService/WatchTable"),
      metrics_.watch_lag_seconds);
  const absl::StatusOr<Caller> caller = dispatcher_.Authenticate(*context, Access::kPlayer);
  const auto request = Parse<v1::WatchTableRequest>(*bytes);
  const absl::StatusOr<TableId> table =
      request.ok() ? ParseTableName(request->name(), "name") : request.status();
  if (!caller.ok() || !table.ok()) {
    watcher->End(caller.ok() ? table.status() : caller.status());
    return watcher->reactor();
  }
  const int after = request->has_after_revision() ? request->after_revision() : -1;
  // The table may have to be loaded: not on this thread.
  const bool queued =
      dispatcher_.workers().TryRun([this, watcher, table = *table, player = caller->player, after] {
        absl::StatusOr<std::function<void()>> forget = tables_.Watch(table, player, after, watcher);
        if (!forget.ok()) return watcher->End(forget.status());
        watcher->Attach(*std::move(forget));
      });
  if (!queued) {
    watcher->End(Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy."));
  }
  return watcher->reactor();
}

}  // namespace tarot::rules_service
