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

absl::StatusOr<std::string> Sessions::AccountName(const SignedInPlayer& player,
                                                  absl::string_view display_name) {
  TAROT_ASSIGN_OR_RETURN(std::string name, ComposeDisplayName(display_name));
  if (name == player.display_name) return name;
  if (bot_names_.Contains(name)) return NameOfBot();
  if (ranked_names_.Contains(name)) return NameTaken(Suggest(name));
  return name;
}

absl::Status Sessions::AccountNameTaken(const std::string& name) {
  return NameTaken(Suggest(name));
}

Session Sessions::SignIn(PlayerId player, const std::string& display_name, absl::Time after) const {
  // A token stores the time in microseconds, so one microsecond is the smallest step.
  const absl::Time sign_in_time = std::max(clock_.Now(), after + absl::Microseconds(1));
  return Refresh(
      {.id = player, .display_name = display_name, .token = {.sign_in_time = sign_in_time}});
}

Revocation Sessions::RevokeAll(PlayerId player) const {
  const absl::Time now = clock_.Now();
  return {.subject = player.uuid,
          .latest_sign_in_time = now,
          .expire_time = now + token_life_ + kRevocationMargin};
}

std::string Sessions::Suggest(const std::string& name) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const auto bytes = entropy_.NewUuid().bytes();
    const int number = 1'000 + (bytes[0] * 256 + bytes[1]) % 9'000;
    // With the number, the name may be too long, or have digits of two scripts.
    const auto candidate = ComposeDisplayName(absl::StrCat(name, " ", number));
    if (!candidate.ok()) return "";
    if (!bot_names_.Contains(*candidate) && !ranked_names_.Contains(*candidate)) return *candidate;
  }
  return "";
}

Session Sessions::Refresh(const SignedInPlayer& player) const {
  // A token stores whole seconds. Without this rounding, `expire_time` in the answer could be later
  // than the time in the token.
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
  // A gateway that does not know the revocation yet may still give the player a token. It expires
  // later than a token that is made now, but by less than kRevocationMargin. The token's time of
  // sign-in may be in the future, because the clock of the gateway that signed it may be fast.
  const absl::Time now = clock_.Now();
  return {.subject = player.id.uuid,
          .latest_sign_in_time = std::max(now, token.sign_in_time),
          .expire_time = std::max(now + token_life_, token.expire_time) + kRevocationMargin};
}

absl::StatusOr<SignedInPlayer> Sessions::Check(absl::string_view token) const {
  absl::StatusOr<SignedInPlayer> player = signer_.Verify(token, clock_.Now());
  if (player.ok()) {
    TAROT_RETURN_IF_ERROR(revocations_.Check(player->id, player->token, clock_.Now()));
  }
  return player;
}

}  // namespace tarot::gateway_service
