// Declares the gRPC service RoomService, for players.
#pragma once

#include <memory>

#include "libs/rpc/dispatcher.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/transport/matchmaking_service.h"

namespace tarot::matchmaking_service {

// The result has references to the objects of the parameters, so these objects must outlive the
// result.
std::unique_ptr<MatchmakingHandler> MakeRoomService(RoomService& rooms,
                                                    rpc::Dispatcher& dispatcher);

}  // namespace tarot::matchmaking_service
