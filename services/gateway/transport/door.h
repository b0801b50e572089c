// The public door: HAProxy, the only client of the gateway in production. Decides where the gateway
// may listen, and tells the address of the client behind a call.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// The door sets this metadata on every call, and removes what a client sends under this name.
inline constexpr char kClientAddressMetadata[] = "x-tarot-client-address";

// Accepts unix:PATH if other users cannot open the folder of PATH, because every process that opens
// this socket counts as the door. With `loopback_players`, also accepts host:port on loopback.
// Otherwise returns FAILED_PRECONDITION UNSAFE_ADDRESS.
absl::Status CheckListenAddress(const std::string& address, bool loopback_players);

// Returns the key of the client's rate limits. For a call through the door, this is the address
// that the door names. For any other call, it is the address of the connection.
std::string ClientAddress(const grpc::ServerContextBase& context);

// Returns the key for `peer`, as gRPC writes the other end of a connection, and for the address
// `named_by_door`, which counts only if `peer` is a Unix socket. The ports of an address share one
// key. So do the addresses of an IPv6 /64, because one household or machine gets a whole /64.
std::string AddressKey(absl::string_view peer, absl::string_view named_by_door);

}  // namespace tarot::gateway_service
