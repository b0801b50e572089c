// Everything that can be tuned in the gateway.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "services/gateway/app/rate_limiter.h"
#include "services/gateway/app/slots.h"

namespace tarot::gateway {

struct Options {
  std::string listen_address = "127.0.0.1:7100";
  std::string rules_address = "127.0.0.1:7101";  // One or more, by commas: they name the others.
  std::string matchmaking_address = "127.0.0.1:7102";
  std::string ratings_address = "127.0.0.1:7104";
  std::string bot_address = "127.0.0.1:7103";

  std::string gateway_key_file;   // Signs the tokens of players; read again when it changes.
  std::string internal_key_file;  // Signs who calls, for the inner services.

  absl::Duration token_life = absl::Hours(7 * 24);
  RateLimit call_limit = {.per_second = 100, .burst = 200};   // Each player.
  RateLimit sign_in_limit = {.per_second = 5, .burst = 100};  // Each address (IPv6: each /64).
  // Open at once.
  SlotLimit streams = {.per_player = 16, .all = 50'000};
  SlotLimit calls = {.per_player = 32, .all = 10'000};  // Unary ones.
};

}  // namespace tarot::gateway
