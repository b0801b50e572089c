// Says which service may call which method of another service.
#pragma once

#include "absl/strings/string_view.h"

namespace tarot::rpc {

// The service that signs the tokens of players.
inline constexpr char kPlayersService[] = "gateway";

// Returns true if `service` may call `method` with a token of its own. `method` must be a method
// for services, for example "tarot.rules.v1.TableAdminService/CreateTable". A method that the table
// in permissions.cc does not list is closed to all services.
bool ServiceMayCall(absl::string_view service, absl::string_view method);

// Returns true if `service` may call `method` with the token of a player. `method` must be a method
// for players.
bool ServiceMayCallForPlayers(absl::string_view service, absl::string_view method);

}  // namespace tarot::rpc
