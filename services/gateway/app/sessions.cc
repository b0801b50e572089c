#include "services/gateway/app/sessions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

absl::StatusOr<Session> Sessions::CreateGuest(absl::string_view display_name) {
  TAROT_ASSIGN_OR_RETURN(std::string name, ComposeDisplayName(display_name));
  if (bot_names_.Contains(name)) return NameOfBot();
  if (ranked_names_.Contains(name)) return NameTaken(Suggest(name));
  return Refresh({.id = {entropy_.NewUuid()},
                  .display_name = std::move(name),
                  .token = {.sign_in_time = clock_.Now()}});
}

std::string Sessions::Suggest(const std::string& name) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const auto bytes = entropy_.NewUuid().bytes();
    const int number = 1'000 + (bytes[0] * 256 + bytes[1]) % 9'000;
    // The number may make the name too long, or mix two kinds of digits.
    const auto candidate = ComposeDisplayName(absl::StrCat(name, " ", number));
    if (!candidate.ok()) return "";
    if (!bot_names_.Contains(*candidate) && !ranked_names_.Contains(*candidate)) return *candidate;
  }
  return "";
}

Session Sessions::Refresh(const SignedInPlayer& player) const {
  // A token stores whole seconds. Without this rounding, the answer could show a later time of
  // expiry than the token has.
  const absl::Time end = absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now() + token_life_));
  SignedInPlayer signed_in = player;
  signed_in.token.id = entropy_.NewUuid();
  signed_in.token.expire_time = end;
  std::string token = signer_.Sign(signed_in);
  return {.player = std::move(signed_in), .token = std::move(token)};
}

Revocation Sessions::SignOut(const SignedInPlayer& player, bool everywhere) const {
  const TokenInfo& token = player.token;
  if (!everywhere && !token.id.empty()) {
    return {.subject = token.id, .expire_time = token.expire_time};
  }
  // Until the other gateways know of the revocation, they may give the player new tokens. The
  // margin covers these tokens too. The clock of the gateway that signed the token may be ahead of
  // this one, so the time of sign-in may be in the future.
  const absl::Time now = clock_.Now();
  return {.subject = player.id.uuid,
          .latest_sign_in_time = std::max(now, token.sign_in_time),
          .expire_time = std::max(now + token_life_, token.expire_time) + kRevocationMargin};
}

absl::StatusOr<SignedInPlayer> Sessions::Check(absl::string_view token) const {
  absl::StatusOr<SignedInPlayer> player = signer_.Verify(token, clock_.Now());
  if (player.ok() && revocations_.Covers(player->id, player->token)) return RevokedToken();
  return player;
}

}  // namespace tarot::gateway_service
