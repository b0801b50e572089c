// The gateway sends the network and the region of a player's client to the other services. The
// functions in this file read both from a call.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "libs/base/ids.h"
#include "libs/base/slots.h"

namespace tarot::rpc {

// The metadata key of a client's network. The value is the same text for all clients with the same
// IPv4 address, or with addresses of the same IPv6 /64. Only the gateway sets it. It must not be
// logged.
inline constexpr char kClientNetworkMetadata[] = "x-tarot-client-network";

// The metadata key of a client's region: the name of the region of its gateway. Only the gateway
// sets it.
inline constexpr char kClientRegionMetadata[] = "x-tarot-client-region";

// The first characters of the network of an IPv6 client: the hexadecimal digits of "ipv6:". The
// digits of the /64 follow.
inline constexpr char kIpv6Network[] = "697076363a";

// Returns the network of a call; empty if the call names none.
inline std::string ClientNetworkOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(kClientNetworkMetadata);
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), found->second.size());
}

// Returns the region of a call; empty if the call names none.
inline std::string ClientRegionOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(kClientRegionMetadata);
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), found->second.size());
}

// Returns the holder of the slots of a call by `player` from `network` (libs/base/slots.h). Clients
// on this machine have no network; they all count as one address.
inline SlotHolder HolderOf(PlayerId player, const std::string& network) {
  // The network of an IPv6 client has kSlash64Digits digits. The /48 is this text without its last
  // four digits.
  constexpr std::size_t kSlash64Digits = 26;
  const bool v6 = network.size() == kSlash64Digits && network.starts_with(kIpv6Network);
  return {.player = player,
          .address = network.empty() ? "this machine" : network,
          .network = v6 ? network.substr(0, kSlash64Digits - 4) : ""};
}

}  // namespace tarot::rpc
