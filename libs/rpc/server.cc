#include "libs/rpc/server.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health_service.grpc.pb.h"
#include "libs/base/error.h"

namespace tarot::rpc {
namespace {

void Configure(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(options.request_bytes_max);
  // With a shared port, a second server would silently take half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // Our channels ping every 5 s while calls wait. A server that does not allow this closes the
  // connection.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 2'000);
  // After this time clients resolve the name again, so a new replica gets its share of calls.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, 30 * 60'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 5 * 60'000);
}

}  // namespace

// Answers Check. gRPC's own health service also has Watch, a stream that needs no token.
class Server::Health final : public grpc::health::v1::Health::CallbackService {
 public:
  void StopServing() { serving_ = false; }

 private:
  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override {
    using Response = grpc::health::v1::HealthCheckResponse;
    response->set_status(serving_ ? Response::SERVING : Response::NOT_SERVING);
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(request->service().empty()
                        ? grpc::Status::OK
                        : grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service"));
    return reactor;
  }

  std::atomic<bool> serving_ = true;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      const std::vector<grpc::Service*>& services,
                                                      grpc::CallbackGenericService* generic) {
  std::unique_ptr<Server> server(new Server);
  server->options_ = options;
  grpc::ServerBuilder builder;
  Configure(builder, options);
  builder.AddListeningPort(options.address, grpc::InsecureServerCredentials(), &server->port_);
  builder.RegisterService(server->health_.get());
  for (grpc::Service* service : services) builder.RegisterService(service);
  if (generic != nullptr) builder.RegisterCallbackGenericService(generic);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || server->port_ == 0) {
    return Error(absl::StatusCode::kUnavailable, "ADDRESS_TAKEN",
                 absl::StrCat("Cannot listen on ", options.address,
                              ": it is in use, or no address of this machine."));
  }
  return server;
}

Server::Server() : health_(std::make_unique<Health>()) {}

Server::~Server() { Shutdown(); }

void Server::AnnounceShutdown() { health_->StopServing(); }

void Server::Shutdown() {
  if (server_ == nullptr) return;
  health_->StopServing();
  const gpr_timespec span =
      gpr_time_from_millis(absl::ToInt64Milliseconds(options_.drain_timeout), GPR_TIMESPAN);
  server_->Shutdown(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span));
  server_.reset();
}

}  // namespace tarot::rpc
