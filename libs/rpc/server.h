// A gRPC server with the parts that every service has: health, reflection, limits, a port, a drain.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tarot::rpc {

struct ServerOptions {
  std::string address = "127.0.0.1:0";  // Port 0 takes a free one.
  int request_bytes_max = 1 << 20;
  absl::Duration drain_timeout = absl::Seconds(5);
};

class Server {
 public:
  // Serves until Shutdown. UNAVAILABLE if the address cannot be used. `generic` may be null.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, const std::vector<grpc::Service*>& services,
      grpc::CallbackGenericService* generic = nullptr);
  ~Server();

  int port() const { return port_; }

  // Health says NOT_SERVING from now on, so that clients go elsewhere. Calls are still answered.
  // Shutdown follows.
  void AnnounceShutdown();

  // Health says NOT_SERVING, new calls are refused, and running calls get `drain_timeout`.
  // Idempotent.
  void Shutdown();

 private:
  Server() = default;
  std::unique_ptr<grpc::Server> server_;
  ServerOptions options_;
  int port_ = 0;
};

}  // namespace tarot::rpc
