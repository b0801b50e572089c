// Serves tarot.bot.v1.AnalysisService with the analysis queue.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "libs/rpc/dispatcher.h"
#include "libs/rpc/server_stream.h"
#include "services/bot/app/analysis_queue.h"
#include "services/bot/app/rules_client.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"

namespace tarot::bot_service {

namespace v1 = ::tarot::bot::v1;

// Maps a seat of the analyzed history to the number of the same seat in the record.
using SeatOf = std::function<rules::Seat(rules::Seat)>;

void EncodeDecision(const ai::DecisionReport& report, const SeatOf& seat_of,
                    v1::DecisionAnalysis* out);
void EncodeSummary(const ai::DealReport& report, const SeatOf& seat_of, v1::DealAnalysis* out);

class AnalysisStream;

class AnalysisServiceImpl final : public v1::AnalysisService::CallbackService {
 public:
  AnalysisServiceImpl(AnalysisQueue& queue, RulesClient& rules, rpc::Dispatcher& dispatcher)
      : queue_(queue), rules_(rules), dispatcher_(dispatcher) {}

  rpc::WriteCall<v1::AnalyzeDealResponse>* AnalyzeDeal(
      grpc::CallbackServerContext* context, const v1::AnalyzeDealRequest* request) override;

 private:
  struct Request;

  absl::StatusOr<std::shared_ptr<Request>> Decode(const grpc::CallbackServerContext& context,
                                                  const v1::AnalyzeDealRequest& request);
  // Continues the call after the answer of rules. `table` is empty if the caller sits at no live
  // table.
  void Found(const std::shared_ptr<Request>& call, const absl::StatusOr<std::string>& table);
  void Analyze(const Request& call, const FinishedDeal& deal);

  AnalysisQueue& queue_;
  RulesClient& rules_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::bot_service
