// mTLS between the processes of the platform. Each process has a certificate of the platform's
// private authority. The certificate names the identity of its service: the DNS name
// `rules.tarot.internal` for the service rules. Both sides of a connection show their certificates.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// Paths of PEM files. `cert` has the certificate of this process and then those of intermediate
// authorities, `key` its private key, and `ca` the certificates of all trusted authorities. `cert`
// and `key` may be the same file; then one rename replaces both.
struct TlsFiles {
  std::string cert = {};
  std::string key = {};
  std::string ca = {};
};

// Returns the name in the certificate of a service: "rules.tarot.internal" for "rules".
std::string IdentityName(absl::string_view service);

// The certificate, the key and the trusted authorities of one process. gRPC reads the files again
// every second, and uses their new content for new connections. While the certificate and the key
// in the files do not match, new connections fail and open connections continue. Thread-safe.
class Tls {
 public:
  // Returns FAILED_PRECONDITION BAD_TLS_FILE, with the name of the file, in these cases:
  // - A file cannot be read, or has no certificate or key.
  // - Users other than the owner and the group may use the key.
  // - The key does not belong to the certificate.
  // - The certificate is not valid now.
  static absl::StatusOr<std::shared_ptr<const Tls>> Open(const TlsFiles& files);

  // A server with these credentials accepts only clients whose certificate comes from one of the
  // trusted authorities.
  const std::shared_ptr<grpc::ServerCredentials>& server() const { return server_; }
  const std::shared_ptr<grpc::ChannelCredentials>& channel() const { return channel_; }

  // Returns the time at which the certificate in the file ends, or InfinitePast if it has none.
  absl::Time ExpireTime() const;

 private:
  explicit Tls(const TlsFiles& files);

  const TlsFiles files_;
  std::shared_ptr<grpc::ServerCredentials> server_;
  std::shared_ptr<grpc::ChannelCredentials> channel_;
};

// The rules for the connections of this process. If `tls` is null, connections are in clear text.
// Then a server listens only on loopback and on Unix sockets. If `allow_plaintext` is true, a
// server with clear text listens on every address.
struct TransportSecurity {
  std::shared_ptr<const Tls> tls = nullptr;
  bool allow_plaintext = false;
};

// Sets the rules of this process, before it makes its first server or channel. InitProcess calls
// this function with the files that the flags name.
void UseTransportSecurity(TransportSecurity security);
const TransportSecurity& ProcessTransportSecurity();

// Returns the credentials of a server on `address`. Connections to a Unix socket are never
// encrypted: only processes of this machine can reach the socket, and the rights of its folder
// decide which of them may. Returns FAILED_PRECONDITION PLAINTEXT_REFUSED if clear text is not
// allowed on `address`.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    absl::string_view address, const TransportSecurity& security);

// Returns the services that the certificate of the caller names, usually one. Returns nullopt if
// the connection has no TLS.
std::optional<std::vector<std::string>> PeerServices(const grpc::ServerContextBase& context);

// Returns true for host:port where the host is this machine only.
bool IsLoopback(absl::string_view address);

}  // namespace tarot::rpc
