// The analysis of a deal as text for a terminal and as JSON to draw from. Pure.
#pragma once

#include <string>
#include <vector>

#include "libs/notation/record.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tools/cli/text.h"

namespace tarot::cli {

// The answer of AnalysisService about a deal. Seats are those of `record`: seat 0 speaks first.
struct DealAnalysis {
  notation::Record record;
  rules::Deal end;  // The deal after its last entry.
  std::string level;
  std::vector<bot::v1::DecisionAnalysis> decisions;  // One for each entry, in order.
  bot::v1::DealAnalysis summary;
};

// Returns a table of the decisions that cost at least half a point, in expectation or with open
// hands (of every decision with `all`), then the turning points and what each seat lost.
std::string RenderAnalysis(const DealAnalysis& analysis, bool all, const TextStyle& style);

// Returns one JSON object, on one line: points of the game as decimals, actions as in the engine
// protocol, null where nothing is known.
std::string AnalysisJson(const DealAnalysis& analysis);

// "[####......] 3 of 79 decisions" in the place of the line before; an empty line when done.
std::string AnalysisProgress(int done, int total);

}  // namespace tarot::cli
