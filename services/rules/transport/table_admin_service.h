// TableAdminService makes tables for other services, and cancels deals for operators.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/table_service.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Returns the config of `table`. Returns INVALID_ARGUMENT BAD_REQUEST for a malformed field.
absl::StatusOr<TableConfig> Decode(TableId table, const v1::CreateTableRequest& request);

// Returns the command of an operator. Returns INVALID_ARGUMENT BAD_REQUEST for a malformed field.
absl::StatusOr<VoidCommand> Decode(const v1::VoidDealRequest& request);

// The methods take bytes, so that a replica can forward a request unchanged to the host of the
// table.
using TableAdminServiceBase = v1::TableAdminService::WithRawCallbackMethod_CreateTable<
    v1::TableAdminService::WithRawCallbackMethod_VoidDeal<v1::TableAdminService::CallbackService>>;

class GrpcTableAdminService final : public TableAdminServiceBase {
 public:
  GrpcTableAdminService(TableService& tables, HostRouter& router, rpc::Dispatcher& dispatcher)
      : tables_(tables), router_(router), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* CreateTable(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* VoidDeal(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;

 private:
  TableService& tables_;
  HostRouter& router_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::rules_service
