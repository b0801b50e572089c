// The verified identity behind a call.
#pragma once

#include <string>

#include "libs/base/ids.h"

namespace tarot {

// Comes from verified credentials, never from a request.
struct Caller {
  PlayerId player;           // Empty for a service.
  std::string display_name;  // The player's; empty for a service.
  std::string service;       // "matchmaking"; empty for a player.
};

}  // namespace tarot
