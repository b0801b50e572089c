#include "services/gateway/transport/auth_interceptor.h"

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

}  // namespace

AuthInterceptor::AuthInterceptor(RateLimit call_limit, RateLimit sign_in_limit,
                                 RateLimit sign_out_limit, const Sessions& sessions, Clock& clock,
                                 Metrics& metrics)
    : sessions_(sessions),
      metrics_(metrics),
      calls_(call_limit, kCallersMax, clock),
      sign_ins_(sign_in_limit, kCallersMax, clock),
      sign_outs_(sign_out_limit, kCallersMax, clock) {}

absl::StatusOr<SignedInPlayer> AuthInterceptor::Admit(const grpc::CallbackServerContext& context,
                                                      int cost) {
  absl::StatusOr<SignedInPlayer> player = CheckToken(context);
  if (!player.ok()) {
    metrics_.bad_tokens.Increment();
    return player;
  }
  const auto& id = player->id.uuid.bytes();
  const absl::Status rate =
      calls_.Take(absl::string_view(reinterpret_cast<const char*>(id.data()), id.size()), cost);
  if (rate.ok()) return player;
  metrics_.limited_calls.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitSignIn(const grpc::CallbackServerContext& context) {
  const absl::Status rate = sign_ins_.Take(ClientAddress(context));
  if (!rate.ok()) metrics_.limited_sign_ins.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitSignOut(const grpc::CallbackServerContext& context) {
  const absl::Status rate = sign_outs_.Take(ClientAddress(context));
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
