#include "services/bot/transport/bot_service.h"

#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/wire/convert.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {

grpc::ServerUnaryReactor* BotServiceImpl::ChooseAction(grpc::CallbackServerContext* context,
                                                       const v1::ChooseActionRequest* request,
                                                       v1::ChooseActionResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.bot.v1.BotService/ChooseAction", rpc::Access::kService,
      [=, this](const rpc::Caller&) -> absl::Status {
        Question question{.level = request->level(),
                          .seed = request->seed(),
                          .node_budget = request->node_budget()};
        const absl::Time until = absl::FromChrono(context->deadline()) - kAnswerMargin;
        question.stop = [&] {
          return context->IsCancelled() || dispatcher_.clock().Now() >= until;
        };
        TAROT_ASSIGN_OR_RETURN(question.view, wire::DecodeView(request->deal()));
        TAROT_ASSIGN_OR_RETURN(const ai::Decision decision, chooser_.Choose(question));
        wire::EncodeAction(decision.action, response->mutable_action());
        response->set_nodes(decision.nodes);
        if (decision.value()) response->set_value(*decision.value());
        response->set_stopped(decision.stopped);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* BotServiceImpl::ListLevels(grpc::CallbackServerContext* context,
                                                     const v1::ListLevelsRequest* /*request*/,
                                                     v1::ListLevelsResponse* response) {
  return dispatcher_.Unary(context, "tarot.bot.v1.BotService/ListLevels", rpc::Access::kEveryCaller,
                           [=](const rpc::Caller&) {
                             for (const std::string& level : ai::Levels()) {
                               response->add_levels(level);
                             }
                             return absl::OkStatus();
                           });
}

}  // namespace tarot::bot_service
