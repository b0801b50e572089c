// Shows the analysis of a deal as text for a terminal and as JSON for drawing. The functions are
// pure.
#pragma once

#include <string>
#include <vector>

#include "libs/notation/record.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tools/cli/reason_text.h"
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

// Returns a table of decisions, then the faults with their reasons, the bids, the turning points
// and each seat's losses. The texts are in `language`. Normally the table has only decisions that
// cost at least half a point, in expectation or with open hands. If `all` is true, the table has
// every decision.
std::string RenderAnalysis(const DealAnalysis& analysis, bool all, Language language,
                           const TextStyle& style);

// Returns a line for each option of a bid: the expected points, the chance of the contract, and the
// range of the likely results.
std::string BidLines(const bot::v1::DecisionAnalysis& decision, Language language);

// Returns one JSON object on one line. Points of the game are decimals, actions have the form of
// the engine protocol, and unknown values are null. The texts of the reasons are in `language`.
std::string AnalysisJson(const DealAnalysis& analysis, Language language);

// Returns a text that replaces the last line of a terminal by "[####......] 3 of 79 decisions".
// When all decisions are done, the text clears this line.
std::string AnalysisProgress(int done, int total);

}  // namespace tarot::cli
