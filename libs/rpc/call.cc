#include "libs/rpc/call.h"

#include <openssl/x509.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tarot::rpc {
namespace {

// Returns `target` with the prefix that selects a resolver of gRPC.
std::string WithScheme(const std::string& target) {
  if (absl::StartsWith(target, "unix:")) return target;
  // Only gRPC's resolvers for IP addresses accept several addresses.
  if (!absl::StrContains(target, ",")) return absl::StrCat("dns:///", target);
  return absl::StrCat(absl::StartsWith(target, "[") ? "ipv6:" : "ipv4:", target);
}

constexpr absl::string_view kTls = "https://";

// If the file of certificate authorities cannot be read, gRPC uses its default authorities.
std::shared_ptr<grpc::ChannelCredentials> TlsCredentials() {
  const char* const named = std::getenv(X509_get_default_cert_file_env());
  std::ifstream file(named != nullptr ? named : "/etc/ssl/certs/ca-certificates.crt");
  grpc::SslCredentialsOptions options;
  options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  return grpc::SslCredentials(options);
}

// Accepts host:port and [v6 address]:port.
bool IsHostAndPort(absl::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return false;
  const absl::string_view host = text.substr(0, colon);
  const bool bracketed = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  int port = 0;
  return !host.empty() && (bracketed || !absl::StrContains(host, ":")) &&
         absl::SimpleAtoi(text.substr(colon + 1), &port) && port >= 0 && port <= 65535;
}

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetLoadBalancingPolicyName("round_robin");
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 3'000);
  // 0 means no limit of pings, so that keepalive also works on a stream without messages.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1'000);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // The services are in one network, so the channel ignores a proxy in the environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

}  // namespace

bool IsTarget(absl::string_view target) {
  if (absl::StartsWith(target, "unix:")) return target.size() > 5;
  for (const absl::string_view address : absl::StrSplit(target, ',')) {
    if (!IsHostAndPort(address)) return false;
  }
  return true;
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, bool own_connection) {
  grpc::ChannelArguments arguments = Arguments();
  if (own_connection) arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (absl::StartsWith(target, kTls)) {
    return grpc::CreateCustomChannel(WithScheme(target.substr(kTls.size())), TlsCredentials(),
                                     arguments);
  }
  return grpc::CreateCustomChannel(WithScheme(target), grpc::InsecureChannelCredentials(),
                                   arguments);
}

std::shared_ptr<grpc::Channel> MakeServiceChannel(absl::string_view service,
                                                  const std::string& target,
                                                  const TransportSecurity& security) {
  if (security.tls == nullptr || absl::StartsWith(target, "unix:")) return MakeChannel(target);
  grpc::ChannelArguments arguments = Arguments();
  arguments.SetSslTargetNameOverride(IdentityName(service));
  return grpc::CreateCustomChannel(WithScheme(target), security.tls->channel(), arguments);
}

void SetTimeout(grpc::ClientContext& context, absl::Duration timeout) {
  const gpr_timespec span = gpr_time_from_millis(absl::ToInt64Milliseconds(timeout), GPR_TIMESPAN);
  context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span));
}

}  // namespace tarot::rpc
