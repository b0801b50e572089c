// MatchmakingAdminService on the wire.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"

namespace tarot::matchmaking_service {

namespace v1 = matchmaking::v1;

class MatchmakingAdminServiceImpl final : public v1::MatchmakingAdminService::CallbackService {
 public:
  MatchmakingAdminServiceImpl(TicketService& tickets, rpc::Dispatcher& dispatcher)
      : tickets_(tickets), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ReleaseTable(grpc::CallbackServerContext* context,
                                         const v1::ReleaseTableRequest* request,
                                         v1::ReleaseTableResponse* response) override;

 private:
  TicketService& tickets_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::matchmaking_service
