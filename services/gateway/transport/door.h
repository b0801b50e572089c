// Functions about the door. The door is HAProxy, the only client of the gateway in production. The
// functions check the address on which the gateway listens, and find the address of the client of a
// call.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// The door sets this metadata on every call. If a client sends it, the door drops the client's
// value.
inline constexpr char kClientAddressMetadata[] = "x-tarot-client-address";

// Makes the folder of unix:PATH if it does not exist. Only this user can open the new folder. Fails
// without an error if the parent folder does not exist. Does nothing for other addresses.
void MakeSocketFolder(const std::string& address);

// Returns OK for unix:PATH if only the owner and the group have rights on the folder of PATH. Other
// users must not open the socket, because the gateway treats each process that opens it as the
// door. With `loopback_players`, also returns OK for host:port on loopback. Returns
// FAILED_PRECONDITION UNSAFE_ADDRESS for all other addresses.
absl::Status CheckListenAddress(const std::string& address, bool loopback_players);

// Returns the key of the client's address. The limits of each address count calls by this key. If
// the call came through HAProxy or through the HTTP door, the client's address is the address that
// HAProxy or the HTTP door has put into the metadata. If not, it is the address of the connection.
std::string ClientAddress(const grpc::ServerContextBase& context);

// Does the work of ClientAddress(). `peer` is the other end of the connection, as gRPC writes it.
// If `peer` is a Unix socket or the HTTP door, the key comes from `named_by_door`; otherwise the
// key comes from `peer`. All ports of an address have the same key. All addresses of an IPv6 /64
// have the same key too, because one household or machine gets a whole /64.
std::string AddressKey(absl::string_view peer, absl::string_view named_by_door);

// Returns the key of the IPv6 /48 of a client, or an empty text for IPv4. `address_key` comes from
// AddressKey(). One customer of a provider often gets a whole /48, which has 65,536 networks /64.
std::string WideNetworkKey(absl::string_view address_key);

// Returns the network of a client as printable text, for the services. `address_key` comes from
// AddressKey(). The text is empty for clients on this machine, because different players on this
// machine may play with each other.
std::string NetworkOf(absl::string_view address_key);

}  // namespace tarot::gateway_service
