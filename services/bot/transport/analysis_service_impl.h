// tarot.bot.v1.AnalysisService over the analysis queue.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/bot/app/analysis_queue.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"

namespace tarot::bot {

class AnalysisServiceImpl final : public v1::AnalysisService::CallbackService {
 public:
  AnalysisServiceImpl(AnalysisQueue& queue, rpc::Dispatcher& dispatcher)
      : queue_(queue), dispatcher_(dispatcher) {}

  grpc::ServerWriteReactor<v1::AnalyzeDealResponse>* AnalyzeDeal(
      grpc::CallbackServerContext* context, const v1::AnalyzeDealRequest* request) override;

 private:
  AnalysisQueue& queue_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::bot
