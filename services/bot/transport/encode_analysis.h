// Reports of libs/ai/analysis → proto.
#pragma once

#include <functional>

#include "services/bot/app/analysis_queue.h"
#include "tarot/bot/v1/analysis_service.pb.h"

namespace tarot::bot {

// Turns a seat of the analyzed history into the record's number of it.
using SeatOf = std::function<rules::Seat(rules::Seat)>;

void EncodeDecision(const ai::DecisionReport& report, const SeatOf& seat_of,
                    v1::DecisionAnalysis* out);
void EncodeSummary(const ai::DealReport& report, const SeatOf& seat_of, v1::DealAnalysis* out);

}  // namespace tarot::bot
