// Declares the gRPC services of matchmaking: MatchmakingService for players, and
// MatchmakingAdminService for services and operators. Also declares the function that reads the
// file that operators send to MatchmakingAdminService.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/friend_service.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.pb.h"

namespace tarot::matchmaking_service {

// A gRPC service with streams. Its owner must end the streams before it shuts the server down.
class MatchmakingHandler {
 public:
  virtual ~MatchmakingHandler() = default;
  virtual grpc::Service& service() = 0;
  // Ends every open stream with UNAVAILABLE SHUTTING_DOWN. If a stream opens later, it ends at once
  // with the same status.
  virtual void EndWatches() = 0;
};

// The results have references to the objects of the parameters, so these objects must outlive the
// results.
std::unique_ptr<MatchmakingHandler> MakeMatchmakingService(TicketService& tickets,
                                                           RoomService& rooms,
                                                           rpc::Dispatcher& dispatcher);
std::unique_ptr<grpc::Service> MakeMatchmakingAdminService(TicketService& tickets,
                                                           QueueCatalog& catalog,
                                                           RoomService& rooms,
                                                           FriendService& friends,
                                                           rpc::Dispatcher& dispatcher);

// Reads deploy/queues.json, where operators edit the queues and bots. The file is an
// ApplyQueuesRequest in protobuf's JSON form. If the file cannot be read, has an unknown field or
// has a value of the wrong type, returns INVALID_ARGUMENT BAD_REQUEST. The error says which field
// is bad and where it is in the file.
absl::StatusOr<matchmaking::v1::ApplyQueuesRequest> ReadQueuesFile(const std::string& path);

}  // namespace tarot::matchmaking_service
