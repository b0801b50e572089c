#include "services/gateway/transport/door.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"

namespace tarot::gateway_service {
namespace {

absl::Status UnsafeAddress(const std::string& address, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "UNSAFE_ADDRESS",
               absl::StrCat("Cannot listen on ", address, ": ", why));
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:");
}

// Returns the key of an address that has no port.
std::string HostKey(const std::string& host) {
  in6_addr v6;
  if (inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &v6) != 1) return host;
  const auto* bytes = reinterpret_cast<const char*>(v6.s6_addr);
  // An IPv4 client of a dual-stack socket has an IPv6 address whose last bytes are the IPv4
  // address. So the key has all 16 bytes.
  const std::size_t size = IN6_IS_ADDR_V4MAPPED(&v6) ? 16 : 8;
  return absl::StrCat("ipv6:", absl::string_view(bytes, size));
}

}  // namespace

absl::Status CheckListenAddress(const std::string& address, bool loopback_players) {
  absl::string_view path = address;
  if (absl::ConsumePrefix(&path, "unix:")) {
    const std::filesystem::path folder = std::filesystem::path(std::string(path)).parent_path();
    struct stat status;
    if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0) {
      return UnsafeAddress(address, "its folder does not exist.");
    }
    if ((status.st_mode & S_IRWXO) == 0) return absl::OkStatus();
    return UnsafeAddress(address, "other users can open its folder; chmod 0700 closes it.");
  }
  if (!loopback_players) {
    return UnsafeAddress(address,
                         "players come through the door, so the gateway takes unix:PATH. "
                         "--loopback_players allows an address of loopback.");
  }
  if (IsLoopback(address)) return absl::OkStatus();
  return UnsafeAddress(address, "--loopback_players allows addresses of loopback only.");
}

std::string ClientAddress(const grpc::ServerContextBase& context) {
  const auto found = context.client_metadata().find(kClientAddressMetadata);
  const absl::string_view named =
      found == context.client_metadata().end()
          ? absl::string_view()
          : absl::string_view(found->second.data(), found->second.size());
  return AddressKey(context.peer(), named);
}

std::string AddressKey(absl::string_view peer, absl::string_view named_by_door) {
  if (absl::StartsWith(peer, "unix:")) return HostKey(std::string(named_by_door));
  const std::string text = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}});
  std::string host = text.substr(0, text.rfind(':'));
  for (const absl::string_view prefix : {"ipv4:", "ipv6:["}) {
    if (absl::StartsWith(host, prefix)) host = host.substr(prefix.size());
  }
  if (absl::EndsWith(host, "]")) host.pop_back();
  return HostKey(host);
}

}  // namespace tarot::gateway_service
