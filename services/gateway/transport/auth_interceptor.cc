#include "services/gateway/transport/auth_interceptor.h"

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

// Returns the key of a player in the limiters. The key points to the bytes of `id`, so `id` must
// outlive the key.
absl::string_view KeyOf(const PlayerId& id) {
  const auto& bytes = id.uuid.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

RateLimit OfNetwork(RateLimit limit) {
  return {.per_second = kNetworkFactor * limit.per_second, .burst = kNetworkFactor * limit.burst};
}

}  // namespace

AddressLimiter::AddressLimiter(RateLimit limit, Clock& clock)
    : addresses_(limit, kCallersMax, clock), networks_(OfNetwork(limit), kCallersMax, clock) {}

absl::Status AddressLimiter::Take(absl::string_view address, int cost) {
  const std::string network = WideNetworkKey(address);
  // The limiter of the address comes first. A call that it refuses takes nothing from the bucket of
  // the network.
  TAROT_RETURN_IF_ERROR(addresses_.Take(address, cost));
  return network.empty() ? absl::OkStatus() : networks_.Take(network, cost);
}

void AddressLimiter::GiveBack(absl::string_view address) {
  addresses_.GiveBack(address);
  networks_.GiveBack(WideNetworkKey(address));
}

void AddressLimiter::SetLimit(RateLimit limit) {
  addresses_.SetLimit(limit);
  networks_.SetLimit(OfNetwork(limit));
}

AuthInterceptor::AuthInterceptor(const CallLimits& limits, const Sessions& sessions, Clock& clock,
                                 Metrics& metrics)
    : sessions_(sessions),
      metrics_(metrics),
      calls_(limits.calls, kCallersMax, clock),
      address_calls_(limits.address_calls, clock),
      crowded_calls_({.per_second = kCrowdedCallsPerSecond, .burst = kCrowdedBurst}, kCallersMax,
                     clock),
      sign_ins_(limits.sign_ins, clock),
      secrets_(limits.secrets, clock),
      guesses_({.per_second = kNameGuessesPerSecond, .burst = kNameGuessBurst}, kCallersMax, clock),
      sign_outs_(limits.sign_outs, clock),
      player_sign_outs_({.per_second = kPlayerSignOutsPerSecond, .burst = kPlayerSignOutBurst},
                        kCallersMax, clock) {}

void AuthInterceptor::SetLimits(const CallLimits& limits) {
  calls_.SetLimit(limits.calls);
  address_calls_.SetLimit(limits.address_calls);
  sign_ins_.SetLimit(limits.sign_ins);
}

absl::StatusOr<SignedInPlayer> AuthInterceptor::Admit(const grpc::CallbackServerContext& context,
                                                      int cost) {
  absl::StatusOr<SignedInPlayer> player = CheckToken(context);
  if (!player.ok()) {
    metrics_.bad_tokens.Increment();
    return player;
  }
  const absl::string_view key = KeyOf(player->id);
  absl::Status rate = calls_.Take(key, cost);
  if (rate.ok() && !address_calls_.Take(ClientAddress(context), cost).ok()) {
    rate = crowded_calls_.Take(key, cost);
  }
  if (rate.ok()) return player;
  metrics_.limited_calls.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitSignIn(const grpc::CallbackServerContext& context) {
  const absl::Status rate = sign_ins_.Take(ClientAddress(context));
  if (!rate.ok()) metrics_.limited_sign_ins.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitSecret(const grpc::CallbackServerContext& context) {
  const absl::Status rate = secrets_.Take(ClientAddress(context));
  if (!rate.ok()) metrics_.limited_secrets.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitGuess(absl::string_view login_key) {
  const absl::Status rate = guesses_.Take(login_key);
  if (!rate.ok()) metrics_.limited_secrets.Increment();
  return rate;
}

void AuthInterceptor::GiveBackSignOut(const grpc::CallbackServerContext& context, PlayerId player) {
  player_sign_outs_.GiveBack(KeyOf(player));
  sign_outs_.GiveBack(ClientAddress(context));
}

absl::Status AuthInterceptor::AdmitSignOut(const grpc::CallbackServerContext& context,
                                           PlayerId player) {
  absl::Status rate = player_sign_outs_.Take(KeyOf(player));
  if (rate.ok()) rate = sign_outs_.Take(ClientAddress(context));
  if (!rate.ok()) metrics_.limited_sign_outs.Increment();
  return rate;
}

absl::StatusOr<SignedInPlayer> AuthInterceptor::CheckToken(
    const grpc::CallbackServerContext& context) const {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  const absl::string_view value =
      found == metadata.end() ? absl::string_view()
                              : absl::string_view(found->second.data(), found->second.size());
  if (!absl::StartsWithIgnoreCase(value, kScheme)) return MissingToken();
  return sessions_.Check(value.substr(kScheme.size()));
}

}  // namespace tarot::gateway_service
