// TableService on the wire: decode, call the app, encode. A branch here is a branch in the wrong
// place.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_store.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// What answers with the table on every move is bytes, encoded once for all who see it.
using TableServiceBase = v1::TableService::WithRawCallbackMethod_SubmitAction<
    v1::TableService::WithRawCallbackMethod_WatchTable<v1::TableService::CallbackService>>;

class TableServiceImpl final : public TableServiceBase {
 public:
  TableServiceImpl(TableService& tables, TableStore& store, rpc::Dispatcher& dispatcher,
                   Metrics& metrics)
      : tables_(tables), store_(store), dispatcher_(dispatcher), metrics_(metrics) {}

  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const v1::GetTableRequest* request,
                                     v1::GetTableResponse* response) override;
  grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                       const v1::ListTablesRequest* request,
                                       v1::ListTablesResponse* response) override;
  grpc::ServerUnaryReactor* SubmitAction(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ResumeSeat(grpc::CallbackServerContext* context,
                                       const v1::ResumeSeatRequest* request,
                                       v1::ResumeSeatResponse* response) override;
  grpc::ServerUnaryReactor* AddNonce(grpc::CallbackServerContext* context,
                                     const v1::AddNonceRequest* request,
                                     v1::AddNonceResponse* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchTable(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request) override;

 private:
  TableService& tables_;
  TableStore& store_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
};

}  // namespace tarot::rules_service
