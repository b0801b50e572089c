// TableAdminService and RecordService on the wire.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/record_service.h"
#include "services/rules/app/table_service.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// A table is made by its host.
using TableAdminServiceBase = v1::TableAdminService::WithRawCallbackMethod_CreateTable<
    v1::TableAdminService::CallbackService>;

class TableAdminServiceImpl final : public TableAdminServiceBase {
 public:
  TableAdminServiceImpl(TableService& tables, HostRouter& router, rpc::Dispatcher& dispatcher)
      : tables_(tables), router_(router), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* CreateTable(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

 private:
  TableService& tables_;
  HostRouter& router_;
  rpc::Dispatcher& dispatcher_;
};

class RecordServiceImpl final : public v1::RecordService::CallbackService {
 public:
  RecordServiceImpl(RecordService& records, rpc::Dispatcher& dispatcher)
      : records_(records), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* GetRecord(grpc::CallbackServerContext* context,
                                      const v1::GetRecordRequest* request,
                                      v1::GetRecordResponse* response) override;
  grpc::ServerUnaryReactor* ListRecords(grpc::CallbackServerContext* context,
                                        const v1::ListRecordsRequest* request,
                                        v1::ListRecordsResponse* response) override;

 private:
  RecordService& records_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::rules_service
