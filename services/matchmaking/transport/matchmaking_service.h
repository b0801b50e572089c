// The gRPC services of matchmaking: MatchmakingService for players, MatchmakingAdminService for
// services and operators, and the file that operators send to the latter.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.pb.h"

namespace tarot::matchmaking_service {

// A gRPC service with streams. Its owner must end them before it shuts the server down.
class MatchmakingHandler {
 public:
  virtual ~MatchmakingHandler() = default;
  virtual grpc::Service& service() = 0;
  // Ends every open WatchTicket with UNAVAILABLE SHUTTING_DOWN. Later ones end at once.
  virtual void EndWatches() = 0;
};

// The referenced objects must outlive the results.
std::unique_ptr<MatchmakingHandler> MakeMatchmakingService(TicketService& tickets,
                                                           rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeMatchmakingAdminService(TicketService& tickets,
                                                           QueueCatalog& catalog,
                                                           rpc::Dispatcher& dispatcher);

// Reads deploy/queues.json, the queues and bots that operators edit: an ApplyQueuesRequest in
// protobuf's JSON form. Returns INVALID_ARGUMENT BAD_REQUEST with the place and the name of an
// unknown field or of a value of the wrong type.
absl::StatusOr<matchmaking::v1::ApplyQueuesRequest> ReadQueuesFile(const std::string& path);

}  // namespace tarot::matchmaking_service
