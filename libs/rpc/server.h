// A gRPC server with the parts that every service has: health (Check only), limits, a port, and an
// orderly shutdown.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tarot::rpc {

struct ServerOptions {
  std::string address = "127.0.0.1:0";  // With port 0 the server takes a free port.
  int request_bytes_max = 1 << 20;
  absl::Duration drain_timeout = absl::Seconds(5);
};

class Server {
 public:
  // Serves until Shutdown. Returns UNAVAILABLE if the address cannot be used, or if another server
  // uses the same unix:PATH and has not ended. `generic` may be null.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, const std::vector<grpc::Service*>& services,
      grpc::CallbackGenericService* generic = nullptr);
  ~Server();

  int port() const { return port_; }

  // Sets health to NOT_SERVING, so that clients use other servers. The server still answers calls.
  // Call Shutdown afterwards.
  void AnnounceShutdown();

  // Sets health to NOT_SERVING, refuses new calls, and gives running calls `drain_timeout` to end.
  // Idempotent.
  void Shutdown();

 private:
  class Health;
  class SocketLock;

  Server();

  const std::unique_ptr<Health> health_;
  std::unique_ptr<SocketLock> socket_lock_;  // nullptr if the address is a port.
  std::unique_ptr<grpc::Server> server_;
  ServerOptions options_;
  int port_ = 0;
};

}  // namespace tarot::rpc
