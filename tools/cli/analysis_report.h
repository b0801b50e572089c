// Shows the analysis of a deal as text for a terminal and as JSON for drawing. The functions are
// pure.
#pragma once

#include <string>
#include <vector>

#include "libs/notation/record.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tools/cli/text.h"

namespace tarot::cli {

// The answer of AnalysisService about a deal. Seats are numbered as in `record`: seat 0 bids first.
struct DealAnalysis {
  notation::Record record;
  rules::Deal end;  // The state of the deal after its last entry.
  std::string level;
  std::vector<bot::v1::DecisionAnalysis> decisions;  // One for each entry of the record, in order.
  bot::v1::DealAnalysis summary;
};

// Returns a table of decisions, and then the turning points and each seat's losses. Normally the
// table has only decisions that cost at least half a point, in expectation or with open hands. If
// `all` is true, the table has every decision.
std::string RenderAnalysis(const DealAnalysis& analysis, bool all, const TextStyle& style);

// Returns one JSON object on one line. Points of the game are decimals, actions have the form of
// the engine protocol, and unknown values are null.
std::string AnalysisJson(const DealAnalysis& analysis);

// Returns a text that replaces the last line of a terminal by "[####......] 3 of 79 decisions".
// When all decisions are done, the text clears this line.
std::string AnalysisProgress(int done, int total);

}  // namespace tarot::cli
