// Serves tarot.bot.v1.BotService with the chooser.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/bot/app/chooser.h"
#include "tarot/bot/v1/bot_service.grpc.pb.h"

namespace tarot::bot_service {

namespace v1 = ::tarot::bot::v1;

// Thread-safe. The constructor's arguments must outlive this object. This object must outlive the
// server.
class BotServiceImpl final : public v1::BotService::CallbackService {
 public:
  BotServiceImpl(const Chooser& chooser, rpc::Dispatcher& dispatcher)
      : chooser_(chooser), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ChooseAction(grpc::CallbackServerContext* context,
                                         const v1::ChooseActionRequest* request,
                                         v1::ChooseActionResponse* response) override;
  grpc::ServerUnaryReactor* ListLevels(grpc::CallbackServerContext* context,
                                       const v1::ListLevelsRequest* request,
                                       v1::ListLevelsResponse* response) override;

 private:
  const Chooser& chooser_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::bot_service
