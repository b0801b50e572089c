#include "services/gateway/transport/door.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/rpc/server.h"

namespace tarot::gateway_service {
namespace {

// The keys of IPv6 addresses begin with this text. The first 8 or all 16 bytes of the address
// follow.
constexpr absl::string_view kIpv6 = "ipv6:";

absl::Status UnsafeAddress(const std::string& address, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "UNSAFE_ADDRESS",
               absl::StrCat("Cannot listen on ", address, ": ", why));
}

// Returns the folder of unix:PATH, and an empty text for all other addresses.
std::string SocketFolder(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "unix:")) return "";
  const std::string folder = std::filesystem::path(std::string(address)).parent_path();
  return folder.empty() ? "." : folder;
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:");
}

// Returns the key of `host`, an address without a port.
std::string HostKey(const std::string& host) {
  in6_addr v6;
  if (inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &v6) != 1) return host;
  const auto* bytes = reinterpret_cast<const char*>(v6.s6_addr);
  // An IPv4 client of a dual-stack socket has an IPv6 address that ends with the IPv4 address. Its
  // key has all 16 bytes, because the first 8 are the same for all such clients.
  const std::size_t size = IN6_IS_ADDR_V4MAPPED(&v6) ? 16 : 8;
  return absl::StrCat(kIpv6, absl::string_view(bytes, size));
}

}  // namespace

void MakeSocketFolder(const std::string& address) {
  const std::string folder = SocketFolder(address);
  // If this call fails, CheckListenAddress() returns the reason.
  if (!folder.empty()) ::mkdir(folder.c_str(), S_IRWXU);
}

absl::Status CheckListenAddress(const std::string& address, bool loopback_players) {
  const std::string folder = SocketFolder(address);
  if (!folder.empty()) {
    struct stat status;
    if (::stat(folder.c_str(), &status) != 0) {
      return UnsafeAddress(address, "its folder does not exist.");
    }
    if ((status.st_mode & S_IRWXO) == 0) return absl::OkStatus();
    return UnsafeAddress(address, "other users can open its folder; chmod 0700 closes it.");
  }
  if (!loopback_players) {
    return UnsafeAddress(address,
                         "players come through the door, so the address must be unix:PATH. "
                         "With --loopback_players it may also be an address on loopback.");
  }
  if (IsLoopback(address)) return absl::OkStatus();
  return UnsafeAddress(address, "--loopback_players allows only addresses on loopback.");
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
  if (absl::StartsWith(peer, "unix:") || peer == rpc::kInProcessPeer)
    return HostKey(std::string(named_by_door));
  const std::string text = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}});
  std::string host = text.substr(0, text.rfind(':'));
  for (const absl::string_view prefix : {"ipv4:", "ipv6:["}) {
    if (absl::StartsWith(host, prefix)) host = host.substr(prefix.size());
  }
  if (absl::EndsWith(host, "]")) host.pop_back();
  return HostKey(host);
}

std::string WideNetworkKey(absl::string_view address_key) {
  // The key of an IPv4 client of a dual-stack socket has 16 bytes of an address, not 8.
  const bool v6 = absl::StartsWith(address_key, kIpv6) && address_key.size() == kIpv6.size() + 8;
  return v6 ? std::string(address_key.substr(0, kIpv6.size() + 6)) : "";
}

std::string NetworkOf(absl::string_view address_key) {
  const bool here = absl::StartsWith(address_key, "127.") || address_key == HostKey("::1") ||
                    address_key == HostKey("::ffff:127.0.0.1");
  return here ? "" : absl::BytesToHexString(address_key);
}

}  // namespace tarot::gateway_service
