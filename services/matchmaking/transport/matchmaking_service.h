// The gRPC services of matchmaking: MatchmakingService for players, MatchmakingAdminService for
// services and operators.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// A gRPC service with streams that an owner must end before it shuts the server down.
class MatchmakingHandler {
 public:
  virtual ~MatchmakingHandler() = default;
  virtual grpc::Service& service() = 0;
  // Ends every open WatchTicket, and later ones at once, with UNAVAILABLE SHUTTING_DOWN.
  virtual void EndWatches() = 0;
};

// The references must outlive the results.
std::unique_ptr<MatchmakingHandler> MakeMatchmakingService(TicketService& tickets,
                                                           rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeMatchmakingAdminService(TicketService& tickets,
                                                           QueueCatalog& catalog,
                                                           rpc::Dispatcher& dispatcher);

}  // namespace tarot::matchmaking_service
