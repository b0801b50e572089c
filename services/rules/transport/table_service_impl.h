// TableService on the wire: decode, call the app, encode. A branch here is a branch in the wrong
// place.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_store.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Calls about one table are bytes: so they can be sent on to the table's host as they came, and the
// table that answers a move is encoded once for all who see it.
template <typename Base>
using RawTableCalls = v1::TableService::WithRawCallbackMethod_GetTable<
    v1::TableService::WithRawCallbackMethod_SubmitAction<
        v1::TableService::WithRawCallbackMethod_ResumeSeat<
            v1::TableService::WithRawCallbackMethod_AddNonce<
                v1::TableService::WithRawCallbackMethod_WatchTable<Base>>>>>;

class TableServiceImpl final : public RawTableCalls<v1::TableService::CallbackService> {
 public:
  TableServiceImpl(TableService& tables, TableStore& store, HostRouter& router,
                   rpc::Dispatcher& dispatcher, Metrics& metrics)
      : tables_(tables),
        store_(store),
        router_(router),
        dispatcher_(dispatcher),
        metrics_(metrics) {}

  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                       const v1::ListTablesRequest* request,
                                       v1::ListTablesResponse* response) override;
  grpc::ServerUnaryReactor* SubmitAction(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  // The same for a call that came another way. On a worker.
  void Submit(const HostRouter::Call& call, rpc::Dispatcher::Finish finish);
  grpc::ServerUnaryReactor* ResumeSeat(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* AddNonce(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchTable(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request) override;

 private:
  TableService& tables_;
  TableStore& store_;
  HostRouter& router_;
  rpc::Dispatcher& dispatcher_;
  Metrics& metrics_;
};

}  // namespace tarot::rules_service
