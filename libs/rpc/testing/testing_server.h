// Contains a real gRPC server with one service, whose methods call functions of the test.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libs/base/real_clock.h"
#include "libs/rpc/call.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server.h"
#include "libs/rpc/watch_stream.h"
#include "libs/status/wire.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"

namespace tarot::rpc {

using TicketStream = WatchStream<matchmaking::v1::WatchTicketResponse>;

// In this service, GetTicket is for players, DeleteTicket is for the rules service, and ListQueues
// is for every caller. DeleteTicket has the permissions and the metrics of ReleaseTable.
class TestService final : public matchmaking::v1::MatchmakingService::CallbackService {
 public:
  explicit TestService(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  std::function<absl::Status(const Caller&, const std::string& name)> on_call =
      [](const Caller&, const std::string&) { return absl::OkStatus(); };
  std::function<void(const std::shared_ptr<TicketStream>&)> on_watch;
  // The context of the last GetTicket call.
  std::atomic<grpc::CallbackServerContext*> last_context = nullptr;

  grpc::ServerUnaryReactor* GetTicket(grpc::CallbackServerContext* context,
                                      const matchmaking::v1::GetTicketRequest* request,
                                      matchmaking::v1::GetTicketResponse* response) override {
    last_context = context;
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingService/GetTicket",
                             Access::kPlayer, [=, this](const Caller& caller) {
                               response->mutable_ticket()->set_name(caller.display_name);
                               return on_call(caller, request->name());
                             });
  }
  grpc::ServerUnaryReactor* DeleteTicket(grpc::CallbackServerContext* context,
                                         const matchmaking::v1::DeleteTicketRequest* request,
                                         matchmaking::v1::DeleteTicketResponse*) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable", Access::kService,
        [=, this](const Caller& caller) { return on_call(caller, request->name()); });
  }
  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const matchmaking::v1::ListQueuesRequest*,
                                       matchmaking::v1::ListQueuesResponse*) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingService/ListQueues",
                             Access::kEveryCaller,
                             [=, this](const Caller& caller) { return on_call(caller, ""); });
  }
  WriteCall<matchmaking::v1::WatchTicketResponse>* WatchTicket(
      grpc::CallbackServerContext*, const matchmaking::v1::WatchTicketRequest*) override {
    const auto stream = TicketStream::Create(
        dispatcher_.Method("tarot.matchmaking.v1.MatchmakingService/WatchTicket"));
    on_watch(stream);
    return stream.get();
  }

 private:
  Dispatcher& dispatcher_;
};

// A server with this service, and a client that calls it.
struct TestingServer {
  explicit TestingServer(WorkerPool& pool, const ServerOptions& options = {},
                         std::shared_ptr<ServiceKeys> service_keys =
                             std::make_shared<ServiceKeys>(KeyRing({{"k1", std::string(32, 'k')}})))
      : workers(pool),
        keys(std::move(service_keys)),
        server(Server::Start(options, {&service}).value()) {
    Use(MakeChannel(address()));
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(server->port()); }
  // Closes the connection of the client. A later channel to this server gets a new connection.
  void Disconnect() {
    stub.reset();
    channel.reset();
  }
  // From now on the client calls through this channel.
  void Use(std::shared_ptr<grpc::Channel> its_channel) {
    channel = std::move(its_channel);
    stub = matchmaking::v1::MatchmakingService::NewStub(channel);
  }

  static Caller Player() {
    return {.player = *PlayerId::Parse("00000000-0000-4000-8000-000000000001"),
            .display_name = "Anna"};
  }

  absl::Status GetTicket(const Caller* caller, const std::string& name = "",
                         absl::Duration timeout = absl::Seconds(10)) {
    return Call<matchmaking::v1::GetTicketRequest, matchmaking::v1::GetTicketResponse>(
        caller, name, timeout, &matchmaking::v1::MatchmakingService::Stub::GetTicket);
  }
  // Makes a call with the token that another authenticator signs.
  absl::Status DeleteTicket(const Authenticator& signer, const Caller& caller) {
    grpc::ClientContext context;
    SetTimeout(context, absl::Seconds(10));
    signer.Sign(context, caller);
    matchmaking::v1::DeleteTicketResponse response;
    return status::FromGrpc(stub->DeleteTicket(&context, {}, &response));
  }
  absl::Status GetTicket(const Authenticator& signer, const Caller& caller) {
    grpc::ClientContext context;
    SetTimeout(context, absl::Seconds(10));
    signer.Sign(context, caller);
    matchmaking::v1::GetTicketResponse response;
    return status::FromGrpc(stub->GetTicket(&context, {}, &response));
  }
  absl::Status DeleteTicket(const Caller* caller) {
    return Call<matchmaking::v1::DeleteTicketRequest, matchmaking::v1::DeleteTicketResponse>(
        caller, "", absl::Seconds(10), &matchmaking::v1::MatchmakingService::Stub::DeleteTicket);
  }
  absl::Status ListQueues() {
    grpc::ClientContext context;
    matchmaking::v1::ListQueuesResponse response;
    return status::FromGrpc(stub->ListQueues(&context, {}, &response));
  }

  template <typename Request, typename Response, typename Method>
  absl::Status Call(const Caller* caller, const std::string& name, absl::Duration timeout,
                    Method method) {
    grpc::ClientContext context;
    SetTimeout(context, timeout);
    if (caller != nullptr) authenticator.Sign(context, *caller);
    Request request;
    request.set_name(name);
    Response response;
    return status::FromGrpc((stub.get()->*method)(&context, request, &response));
  }

  RealClock clock;
  WorkerPool& workers;
  prometheus::Registry registry;
  CallMetrics metrics{Side::kServer, registry};
  std::shared_ptr<ServiceKeys> keys;
  Authenticator authenticator{keys, clock, registry};
  std::function<absl::Status()> admit = [] { return absl::OkStatus(); };
  Dispatcher dispatcher{clock, workers, authenticator, metrics, [this] { return admit(); }};
  TestService service{dispatcher};
  std::unique_ptr<Server> server;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<matchmaking::v1::MatchmakingService::Stub> stub;
};

}  // namespace tarot::rpc
