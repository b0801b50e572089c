// Says which service may call which method of another service.
#pragma once

#include "absl/strings/string_view.h"

namespace tarot::rpc {

// The service that signs the tokens of players.
inline constexpr char kPlayersService[] = "gateway";

// Returns true if `service` may call `method`, which is for services, with a token of its own.
// `method` is, for example, "tarot.rules.v1.TableAdminService/CreateTable". A method that the table
// in permissions.cc does not list is closed to all services.
bool ServiceMayCall(absl::string_view service, absl::string_view method);

// Returns true if `service` may call `method`, which is for players, with the token of a player.
bool ServiceMayCallForPlayers(absl::string_view service, absl::string_view method);

}  // namespace tarot::rpc
