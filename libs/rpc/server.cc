#include "libs/rpc/server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpc/health/v1/health_service.grpc.pb.h"
#include "libs/base/error.h"

namespace tarot::rpc {
namespace {

void Configure(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(options.request_bytes_max);
  // No client compresses messages. Without this line, a hostile client could send small messages
  // that take long to decompress.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  // If ports could be shared, a second server on this port would silently get a part of the
  // connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // The channels of call.h ping every 5 s while a call is open. A server that does not allow this
  // would close the connection.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 2'000);
  // After this time the server asks the client to connect again. The client then resolves the name
  // again, so that new replicas also get calls.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, 30 * 60'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 5 * 60'000);
}

}  // namespace

// This health service has only Check. gRPC's own health service also has Watch, a stream that every
// client could open without a token.
class Server::Health final : public grpc::health::v1::Health::CallbackService {
 public:
  void SetServing(bool serving) { serving_ = serving; }
  void StopServing() { stopping_ = true; }

 private:
  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override {
    using Response = grpc::health::v1::HealthCheckResponse;
    response->set_status(serving_ && !stopping_ ? Response::SERVING : Response::NOT_SERVING);
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(request->service().empty()
                        ? grpc::Status::OK
                        : grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service"));
    return reactor;
  }

  std::atomic<bool> serving_ = true;
  std::atomic<bool> stopping_ = false;
};

// Locks PATH.lock for a server on unix:PATH. Without the lock, gRPC lets a second server take the
// path, and removes the socket when the first server stops. If a process dies, the kernel releases
// its lock.
class Server::SocketLock {
 public:
  explicit SocketLock(absl::string_view path)
      : fd_(open(absl::StrCat(path, ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        held_(fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0) {}
  ~SocketLock() {
    if (fd_ >= 0) close(fd_);
  }
  SocketLock(const SocketLock&) = delete;
  SocketLock& operator=(const SocketLock&) = delete;

  bool held() const { return held_; }

 private:
  const int fd_;
  const bool held_;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services,
                                                      grpc::CallbackGenericService* generic) {
  std::unique_ptr<Server> server(new Server);
  server->options_ = options;
  const absl::Status taken =
      Error(absl::StatusCode::kUnavailable, "ADDRESS_TAKEN",
            absl::StrCat("Cannot listen on ", options.address,
                         ": it is in use, or it is not an address of this machine."));
  if (absl::string_view path = options.address; absl::ConsumePrefix(&path, "unix:")) {
    server->socket_lock_ = std::make_unique<SocketLock>(path);
    if (!server->socket_lock_->held()) return taken;
  }
  grpc::ServerBuilder builder;
  Configure(builder, options);
  builder.AddListeningPort(options.address, grpc::InsecureServerCredentials(), &server->port_);
  builder.RegisterService(server->health_.get());
  for (grpc::Service* service : services) builder.RegisterService(service);
  if (generic != nullptr) builder.RegisterCallbackGenericService(generic);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || server->port_ == 0) return taken;
  return server;
}

Server::Server() : health_(std::make_unique<Health>()) {}

Server::~Server() { Shutdown(); }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void Server::SetHealth(bool serving) { health_->SetServing(serving); }

void Server::AnnounceShutdown() { health_->StopServing(); }

void Server::Shutdown() {
  if (server_ == nullptr) return;
  health_->StopServing();
  const gpr_timespec span =
      gpr_time_from_millis(absl::ToInt64Milliseconds(options_.drain_timeout), GPR_TIMESPAN);
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span));
  server_.reset();
  socket_lock_.reset();
}

}  // namespace tarot::rpc
