// Serves tarot.bot.v1.AnalysisService with the analysis queue.
#pragma once

#include <functional>

#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server_stream.h"
#include "services/bot/app/analysis_queue.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"

namespace tarot::bot_service {

namespace v1 = ::tarot::bot::v1;

// Maps a seat of the analyzed history to the number of the same seat in the record.
using SeatOf = std::function<rules::Seat(rules::Seat)>;

void EncodeDecision(const ai::DecisionReport& report, const SeatOf& seat_of,
                    v1::DecisionAnalysis* out);
void EncodeSummary(const ai::DealReport& report, const SeatOf& seat_of, v1::DealAnalysis* out);

class AnalysisServiceImpl final : public v1::AnalysisService::CallbackService {
 public:
  AnalysisServiceImpl(AnalysisQueue& queue, rpc::Dispatcher& dispatcher)
      : queue_(queue), dispatcher_(dispatcher) {}

  rpc::WriteCall<v1::AnalyzeDealResponse>* AnalyzeDeal(
      grpc::CallbackServerContext* context, const v1::AnalyzeDealRequest* request) override;

 private:
  AnalysisQueue& queue_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::bot_service
