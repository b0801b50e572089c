#include "services/gateway/transport/auth_interceptor.h"

#include <arpa/inet.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

}  // namespace

AuthInterceptor::AuthInterceptor(RateLimit call_limit, RateLimit sign_in_limit,
                                 const Sessions& sessions, Clock& clock, Metrics& metrics)
    : sessions_(sessions),
      metrics_(metrics),
      calls_(call_limit, kCallersMax, clock),
      sign_ins_(sign_in_limit, kCallersMax, clock) {}

absl::StatusOr<SignedInPlayer> AuthInterceptor::Admit(const grpc::CallbackServerContext& context) {
  absl::StatusOr<SignedInPlayer> player = CheckToken(context);
  if (!player.ok()) {
    metrics_.bad_tokens.Increment();
    return player;
  }
  const auto& id = player->id.uuid.bytes();
  const absl::Status rate =
      calls_.Take(absl::string_view(reinterpret_cast<const char*>(id.data()), id.size()));
  if (rate.ok()) return player;
  metrics_.limited_calls.Increment();
  return rate;
}

absl::Status AuthInterceptor::AdmitSignIn(const grpc::CallbackServerContext& context) {
  const absl::Status rate = sign_ins_.Take(AddressOf(context.peer()));
  if (!rate.ok()) metrics_.limited_sign_ins.Increment();
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

std::string AddressOf(absl::string_view peer) {
  const std::string text = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}});
  const std::string host = text.substr(0, text.rfind(':'));
  constexpr absl::string_view kV6 = "ipv6:[";
  if (!absl::StartsWith(host, kV6) || !absl::EndsWith(host, "]")) return host;
  const std::string v6 = host.substr(kV6.size(), host.size() - kV6.size() - 1);
  in6_addr address;
  if (inet_pton(AF_INET6, v6.substr(0, v6.find('%')).c_str(), &address) != 1) return host;
  const auto* bytes = reinterpret_cast<const char*>(address.s6_addr);
  // An IPv4 address that a dual-stack socket maps into IPv6 differs only in its last 4 of 16 bytes.
  const std::size_t size = IN6_IS_ADDR_V4MAPPED(&address) ? 16 : 8;
  return absl::StrCat("ipv6:", absl::string_view(bytes, size));
}

}  // namespace tarot::gateway_service
