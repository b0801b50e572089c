// Defines a gRPC server as every service needs it: with a health check, limits, a port, and an
// orderly shutdown.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/rpc/tls.h"

namespace tarot::rpc {

struct ServerOptions {
  std::string address = "127.0.0.1:0";  // If the port is 0, the server takes a free port.
  int request_bytes_max = 1 << 20;
  absl::Duration drain_timeout = absl::Seconds(5);
  // Returns whether the service can do its work now. Each health check calls this function, on any
  // thread. So the function must be quick, and it must work until Shutdown has returned. If the
  // function is empty, the service is ready from the start.
  std::function<bool()> ready = {};
  // If a watched thread does not move for this time, the process is not live. A call waits at most
  // some seconds for Postgres or for another service. So a thread that stands still for this time
  // shows a fault of the process itself.
  absl::Duration standstill_max = absl::Seconds(60);
  // If true, connections have no TLS: players reach this server through the door, which has TLS.
  bool for_players = false;
  // The rules for the connections. If it is empty, the rules of this process hold (tls.h).
  std::optional<TransportSecurity> security = {};
};

// The names that the health check answers. The empty name means the same as readiness.
inline constexpr char kLiveness[] = "liveness";
inline constexpr char kReadiness[] = "readiness";

// The peer of a call that comes through InProcessChannel. gRPC reports "unknown" for such a call,
// and an address for each call that comes over a socket. So calls of other processes never have
// this peer.
inline constexpr char kInProcessPeer[] = "unknown";

// The error of a process that has not started its service yet: UNAVAILABLE NOT_READY.
absl::Status NotReady();

// Asks the process at `address`, host:port or unix:PATH, for the health of `name`: liveness,
// readiness, or the empty name. Waits at most `timeout`. Returns OK if the answer is SERVING, and
// UNAVAILABLE NOT_READY if it is NOT_SERVING. If the call fails, returns its error. If this process
// uses TLS and `service` is not empty, the connection has TLS, and the certificate of the process
// at `address` must name `service`.
absl::Status CheckHealth(const std::string& address, const std::string& name,
                         absl::Duration timeout, absl::string_view service = "");

class Server {
 public:
  // Starts a server with these services, which must outlive it. `generic` gets the calls of all
  // other methods; it may be null. Returns UNAVAILABLE ADDRESS_TAKEN if the server cannot listen on
  // the address, or if another server has the same unix:PATH. Returns FAILED_PRECONDITION
  // PLAINTEXT_REFUSED if the address needs TLS.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerOptions& options, const std::vector<grpc::Service*>& services,
      grpc::CallbackGenericService* generic = nullptr);
  ~Server();

  int port() const { return port_; }

  // Returns a channel to this server that needs no network. The peer of its calls is
  // kInProcessPeer. Its calls must be over before Shutdown.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // From now on liveness also needs that the thread of `scheduler` runs its tasks, and that each
  // pool ends jobs while jobs wait in its queue. The arguments must live until Shutdown.
  void WatchThreads(Scheduler& scheduler, std::vector<const ThreadWorkerPool*> pools);

  // Says whether the service is on the list of replicas. While it is not on the list, readiness
  // fails.
  void SetListed(bool listed);

  // Readiness fails from now on, so that clients use other servers. The server still answers calls.
  // Call Shutdown later.
  void AnnounceShutdown();

  // Returns what the health check says about readiness.
  bool Ready() const;

  // Refuses new calls, and gives the running calls `drain_timeout` to end. Then cancels the calls
  // that still run. Readiness fails. Idempotent.
  void Shutdown();

 private:
  class Health;
  class SocketLock;

  explicit Server(const ServerOptions& options);

  const std::unique_ptr<Health> health_;
  // The lock of a Unix socket's path. Null if the server listens on a port.
  std::unique_ptr<SocketLock> socket_lock_;
  std::unique_ptr<grpc::Server> server_;
  const ServerOptions options_;
  int port_ = 0;
};

}  // namespace tarot::rpc
