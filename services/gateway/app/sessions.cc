#include "services/gateway/app/sessions.h"

#include "libs/base/status_macros.h"
#include "services/gateway/app/display_name.h"

namespace tarot::gateway {

absl::StatusOr<Session> Sessions::CreateGuest(absl::string_view display_name) {
  TAROT_RETURN_IF_ERROR(CheckDisplayName(display_name));
  return Refresh({.id = {entropy_.NewUuid()}, .display_name = std::string(display_name)});
}

Session Sessions::Refresh(const Player& player) const {
  // Tokens count whole seconds; what we tell must not be later than what they say.
  const absl::Time end = absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now() + token_life_));
  return {.player = player, .token = signer_.Sign(player, end), .expire_time = end};
}

absl::StatusOr<Player> Sessions::Check(absl::string_view token) const {
  return signer_.Verify(token, clock_.Now());
}

}  // namespace tarot::gateway
