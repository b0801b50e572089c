// MatchmakingService on the wire.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "libs/rpc/dispatcher.h"
#include "libs/rpc/watch_stream.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"

namespace tarot::matchmaking_service {

namespace v1 = matchmaking::v1;

class MatchmakingServiceImpl final : public v1::MatchmakingService::CallbackService {
 public:
  MatchmakingServiceImpl(TicketService& tickets, rpc::Dispatcher& dispatcher)
      : tickets_(tickets), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const v1::ListQueuesRequest* request,
                                       v1::ListQueuesResponse* response) override;
  grpc::ServerUnaryReactor* CreateTicket(grpc::CallbackServerContext* context,
                                         const v1::CreateTicketRequest* request,
                                         v1::CreateTicketResponse* response) override;
  grpc::ServerUnaryReactor* GetTicket(grpc::CallbackServerContext* context,
                                      const v1::GetTicketRequest* request,
                                      v1::GetTicketResponse* response) override;
  grpc::ServerUnaryReactor* DeleteTicket(grpc::CallbackServerContext* context,
                                         const v1::DeleteTicketRequest* request,
                                         v1::DeleteTicketResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchTicketResponse>* WatchTicket(
      grpc::CallbackServerContext* context, const v1::WatchTicketRequest* request) override;

  // Ends every open WatchTicket, and those to come, with UNAVAILABLE SHUTTING_DOWN.
  void EndWatches();

 private:
  using Stream = rpc::WatchStream<v1::WatchTicketResponse>;

  std::shared_ptr<Stream> NewStream();
  void StartWatch(const grpc::CallbackServerContext& context, const v1::WatchTicketRequest& request,
                  const std::shared_ptr<Stream>& stream,
                  const std::shared_ptr<const Lobby::Watcher>& watcher);

  TicketService& tickets_;
  rpc::Dispatcher& dispatcher_;
  std::mutex mutex_;
  bool ending_ = false;
  std::map<Stream*, std::weak_ptr<Stream>> streams_;
};

}  // namespace tarot::matchmaking_service
