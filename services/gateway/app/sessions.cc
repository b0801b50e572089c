#include "services/gateway/app/sessions.h"

#include <utility>

#include "libs/base/error.h"

namespace tarot::gateway_service {

absl::StatusOr<Session> Sessions::CreateGuest(absl::string_view display_name) {
  TAROT_ASSIGN_OR_RETURN(std::string name, ComposeDisplayName(display_name));
  TAROT_RETURN_IF_ERROR(reserved_.Check(name));
  return Refresh({.id = {entropy_.NewUuid()}, .display_name = std::move(name)});
}

Session Sessions::Refresh(const SignedInPlayer& player) const {
  // A token stores whole seconds. Without this rounding, the answer could show a later time of
  // expiry than the token has.
  const absl::Time end = absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now() + token_life_));
  return {.player = player, .token = signer_.Sign(player, end), .expire_time = end};
}

absl::StatusOr<SignedInPlayer> Sessions::Check(absl::string_view token) const {
  return signer_.Verify(token, clock_.Now());
}

}  // namespace tarot::gateway_service
