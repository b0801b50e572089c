// A gRPC server as every service needs it: with a health check, limits, a port, and an orderly
// shutdown.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tarot::rpc {

struct ServerOptions {
  std::string address = "127.0.0.1:0";  // If the port is 0, the server takes a free port.
  int request_bytes_max = 1 << 20;
  absl::Duration drain_timeout = absl::Seconds(5);
};

// The peer of a call that comes through InProcessChannel. gRPC reports "unknown" for such a call,
// and an address for each call that comes over a socket. So calls of other processes never have
// this peer.
inline constexpr char kInProcessPeer[] = "unknown";

class Server {
 public:
  // Starts a server with these services, which must outlive it. `generic` gets the calls of all
  // other methods; it may be null. Returns UNAVAILABLE ADDRESS_TAKEN if the server cannot listen on
  // the address, or if another server has the same unix:PATH.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, const std::vector<grpc::Service*>& services,
      grpc::CallbackGenericService* generic = nullptr);
  ~Server();

  int port() const { return port_; }

  // Returns a channel to this server that needs no network. The peer of its calls is
  // kInProcessPeer. Its calls must be over before Shutdown.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Sets the answer of the health check. Has no effect after AnnounceShutdown.
  void SetHealth(bool serving);

  // The health check says NOT_SERVING from now on, so that clients use other servers. The server
  // still answers calls. Call Shutdown later.
  void AnnounceShutdown();

  // Refuses new calls, and gives the running calls `drain_timeout` to end. Then cancels the calls
  // that still run. The health check says NOT_SERVING. Idempotent.
  void Shutdown();

 private:
  class Health;
  class SocketLock;

  Server();

  const std::unique_ptr<Health> health_;
  // The lock of a Unix socket's path. Null if the server listens on a port.
  std::unique_ptr<SocketLock> socket_lock_;
  std::unique_ptr<grpc::Server> server_;
  ServerOptions options_;
  int port_ = 0;
};

}  // namespace tarot::rpc
