#include "libs/rpc/server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpc/health/v1/health_service.grpc.pb.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"

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
  // The channels of call.h ping every 5 s while a call is open. If the server did not allow so many
  // pings, it would close the connection.
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
  explicit Health(const ServerOptions& options)
      : ready_(options.ready), standstill_max_(options.standstill_max) {}

  void SetListed(bool listed) { listed_ = listed; }
  void StopServing() { stopping_ = true; }
  bool Ready() const { return listed_ && !stopping_ && (!ready_ || ready_()); }

  void WatchThreads(Scheduler& scheduler, std::vector<const ThreadWorkerPool*> pools) {
    const std::lock_guard lock(mutex_);
    scheduler_ = &scheduler;
    for (const ThreadWorkerPool* pool : pools) watched_.push_back({.pool = pool});
  }

  // After this function has returned, no health check uses the threads.
  void ForgetThreads() {
    const std::lock_guard lock(mutex_);
    scheduler_ = nullptr;
    watched_.clear();
  }

 private:
  // A pool, with its progress at the last check.
  struct Watched {
    const ThreadWorkerPool* pool = nullptr;
    ThreadWorkerPool::Progress progress = {};
    // Measures how long the pool has stood still. A check restarts the measurement if no job waits,
    // or if a job has ended since the last check.
    Stopwatch still = {};
  };

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override {
    using Response = grpc::health::v1::HealthCheckResponse;
    const std::string& name = request->service();
    const bool liveness = name == kLiveness;
    response->set_status((liveness ? Live() : Ready()) ? Response::SERVING : Response::NOT_SERVING);
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(liveness || name.empty() || name == kReadiness
                        ? grpc::Status::OK
                        : grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service"));
    return reactor;
  }

  // Returns false if a watched thread has not moved for standstill_max_. The scheduler stands still
  // if it has not run the task of an earlier check. A pool stands still if it has ended no job
  // while jobs wait. This function waits for no thread.
  bool Live() {
    const std::lock_guard lock(mutex_);
    bool live = !tick_ || *tick_ || tick_sent_.Elapsed() < standstill_max_;
    if (scheduler_ != nullptr && (!tick_ || *tick_)) {
      tick_ = std::make_shared<std::atomic<bool>>(false);
      tick_sent_ = Stopwatch();
      scheduler_->After(absl::ZeroDuration(), [tick = tick_] { *tick = true; });
    }
    for (Watched& watched : watched_) {
      const ThreadWorkerPool::Progress progress = watched.pool->GetProgress();
      const bool still =
          progress.waiting && watched.progress.waiting && progress.ended == watched.progress.ended;
      if (!still) watched.still = Stopwatch();
      watched.progress = progress;
      live &= watched.still.Elapsed() < standstill_max_;
    }
    return live;
  }

  const std::function<bool()> ready_;
  const absl::Duration standstill_max_;
  std::atomic<bool> listed_ = true;
  std::atomic<bool> stopping_ = false;

  std::mutex mutex_;  // Guards the members below.
  Scheduler* scheduler_ = nullptr;
  std::vector<Watched> watched_;
  // True once the scheduler has run the last task of a check. Null before the first check.
  std::shared_ptr<std::atomic<bool>> tick_;
  Stopwatch tick_sent_;
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

absl::Status NotReady() {
  return Error(absl::StatusCode::kUnavailable, "NOT_READY", "The service is not ready; try again.");
}

absl::Status CheckHealth(const std::string& address, const std::string& name,
                         absl::Duration timeout, absl::string_view service) {
  const auto stub = grpc::health::v1::Health::NewStub(
      service.empty() ? MakeChannel(address) : MakeServiceChannel(service, address));
  grpc::ClientContext context;
  context.set_wait_for_ready(false);
  SetTimeout(context, timeout);
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(name);
  grpc::health::v1::HealthCheckResponse response;
  TAROT_RETURN_IF_ERROR(status::FromGrpc(stub->Check(&context, request, &response)));
  if (response.status() == grpc::health::v1::HealthCheckResponse::SERVING) return absl::OkStatus();
  return NotReady();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services,
                                                      grpc::CallbackGenericService* generic) {
  std::unique_ptr<Server> server(new Server(options));
  const absl::Status taken =
      Error(absl::StatusCode::kUnavailable, "ADDRESS_TAKEN",
            absl::StrCat("Cannot listen on ", options.address,
                         ": it is in use, or it is not an address of this machine."));
  if (absl::string_view path = options.address; absl::ConsumePrefix(&path, "unix:")) {
    server->socket_lock_ = std::make_unique<SocketLock>(path);
    if (!server->socket_lock_->held()) return taken;
  }
  const TransportSecurity clear = {.allow_plaintext = true};
  TAROT_ASSIGN_OR_RETURN(
      const std::shared_ptr<grpc::ServerCredentials> credentials,
      ServerCredentialsFor(
          options.address,
          options.for_players ? clear : options.security.value_or(ProcessTransportSecurity())));
  grpc::ServerBuilder builder;
  Configure(builder, options);
  builder.AddListeningPort(options.address, credentials, &server->port_);
  builder.RegisterService(server->health_.get());
  for (grpc::Service* service : services) builder.RegisterService(service);
  if (generic != nullptr) builder.RegisterCallbackGenericService(generic);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || server->port_ == 0) return taken;
  return server;
}

Server::Server(const ServerOptions& options)
    : health_(std::make_unique<Health>(options)), options_(options) {}

Server::~Server() { Shutdown(); }

std::shared_ptr<grpc::Channel> Server::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void Server::WatchThreads(Scheduler& scheduler, std::vector<const ThreadWorkerPool*> pools) {
  health_->WatchThreads(scheduler, std::move(pools));
}

void Server::SetListed(bool listed) { health_->SetListed(listed); }

void Server::AnnounceShutdown() { health_->StopServing(); }

bool Server::Ready() const { return health_->Ready(); }

void Server::Shutdown() {
  if (server_ == nullptr) return;
  health_->StopServing();
  const gpr_timespec span =
      gpr_time_from_millis(absl::ToInt64Milliseconds(options_.drain_timeout), GPR_TIMESPAN);
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span));
  server_.reset();
  health_->ForgetThreads();
  socket_lock_.reset();
}

}  // namespace tarot::rpc
