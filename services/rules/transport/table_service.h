// Declares TableService. It shows players the tables in play and takes their moves. Each handler
// decodes the request, calls a function of app/ and encodes the answer. All other code belongs in
// app/.
#pragma once

#include "libs/base/slots.h"
#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_store.h"
#include "services/rules/limits.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/list_gatherer.h"
#include "services/rules/transport/table_views.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// The requests and answers of calls about one table stay serialized (raw methods of gRPC). This has
// two advantages: the service can forward these messages unchanged to the table's host, and it
// encodes the table in an answer once for all viewers.
template <typename Base>
using RawTableCalls = v1::TableService::WithRawCallbackMethod_GetTable<
    v1::TableService::WithRawCallbackMethod_SubmitAction<
        v1::TableService::WithRawCallbackMethod_ClaimTricks<
            v1::TableService::WithRawCallbackMethod_ResumeSeat<
                v1::TableService::WithRawCallbackMethod_AddNonce<
                    v1::TableService::WithRawCallbackMethod_SayPhrase<
                        v1::TableService::WithRawCallbackMethod_MuteSeat<
                            v1::TableService::WithRawCallbackMethod_Propose<
                                v1::TableService::WithRawCallbackMethod_AnswerProposal<
                                    v1::TableService::WithRawCallbackMethod_EndBreak<Base>>>>>>>>>>;

class GrpcTableService final : public RawTableCalls<v1::TableService::CallbackService> {
 public:
  // `list_dispatcher` runs the calls for lists, and the calls for tables that must be replayed. It
  // has workers of its own, so these calls do not delay moves.
  GrpcTableService(TableService& tables, TableStore& store, TableViews& views, HostRouter& router,
                   ListGatherer& gatherer, rpc::Dispatcher& dispatcher,
                   rpc::Dispatcher& list_dispatcher)
      : tables_(tables),
        store_(store),
        views_(views),
        router_(router),
        gatherer_(gatherer),
        dispatcher_(dispatcher),
        list_dispatcher_(list_dispatcher) {}

  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                       const v1::ListTablesRequest* request,
                                       v1::ListTablesResponse* response) override;
  grpc::ServerUnaryReactor* SubmitAction(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  // Answers a SubmitAction that came on a stream of moves. Never waits.
  void Submit(const HostRouter::Call& call, rpc::Dispatcher::Finish finish);
  grpc::ServerUnaryReactor* ClaimTricks(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ResumeSeat(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* AddNonce(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SayPhrase(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* MuteSeat(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Propose(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* AnswerProposal(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* EndBreak(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;

 private:
  // Answers ListTables with the tables of this cell.
  absl::Status ListHere(const TableQuery& query, PlayerId caller, v1::ListTablesResponse* response);

  TableService& tables_;
  TableStore& store_;
  TableViews& views_;
  HostRouter& router_;
  ListGatherer& gatherer_;
  rpc::Dispatcher& dispatcher_;
  rpc::Dispatcher& list_dispatcher_;
  // Limits the GetTable calls that read a log or wait to read one. Such calls run on the workers of
  // list_dispatcher_.
  Slots read_slots_{{.per_player = kReadsPerPlayerMax,
                     .per_address = kReadsPerAddressMax,
                     .per_network = kReadsPerNetworkMax,
                     .all = kListQueueMax}};
};

}  // namespace tarot::rules_service
