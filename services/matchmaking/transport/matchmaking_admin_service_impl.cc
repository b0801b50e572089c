#include "services/matchmaking/transport/matchmaking_admin_service_impl.h"

#include "libs/base/status_macros.h"
#include "services/matchmaking/transport/convert.h"

namespace tarot::matchmaking_service {

grpc::ServerUnaryReactor* MatchmakingAdminServiceImpl::ReleaseTable(
    grpc::CallbackServerContext* context, const v1::ReleaseTableRequest* request,
    v1::ReleaseTableResponse*) {
  return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable",
                           rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                             TAROT_ASSIGN_OR_RETURN(const TableId table,
                                                    DecodeTableName(request->table(), "table"));
                             return tickets_.Release(table);
                           });
}

}  // namespace tarot::matchmaking_service
