// The verified identity of the player or service that makes a call.
#pragma once

#include <string>

#include "libs/base/ids.h"

namespace tarot {

// It comes from verified credentials, never from a request.
struct Caller {
  PlayerId player;           // Empty for a service.
  std::string display_name;  // The player's name; empty for a service.
  std::string service;       // The service's name, for example "matchmaking"; empty for a player.
};

}  // namespace tarot
