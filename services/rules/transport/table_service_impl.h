// TableService on the wire: decode, call the app, encode. A branch here is a branch in the wrong
// place.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_store.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

class TableServiceImpl final : public v1::TableService::CallbackService {
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
                                         const v1::SubmitActionRequest* request,
                                         v1::SubmitActionResponse* response) override;
  grpc::ServerUnaryReactor* ResumeSeat(grpc::CallbackServerContext* context,
                                       const v1::ResumeSeatRequest* request,
                                       v1::ResumeSeatResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchTableResponse>* WatchTable(
      grpc::CallbackServerContext* context, const v1::WatchTableRequest* request) override;

 private:
  TableService& tables_;
  TableStore& store_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
};

}  // namespace tarot::rules_service
