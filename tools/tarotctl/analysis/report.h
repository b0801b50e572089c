// The analysis of a deal as text for a terminal and as JSON to draw from. Pure.
#pragma once

#include <string>
#include <vector>

#include "libs/ai/analysis/analyzer.h"
#include "libs/notation/record.h"
#include "tools/tarotctl/text/style.h"

namespace tarot::tarotctl {

struct DealAnalysis {
  notation::Record record;
  rules::Deal end;  // The deal after its last entry.
  std::string level;
  std::vector<ai::DecisionReport> decisions;  // One an entry.
  ai::DealReport summary;
};

// Decisions that cost at least half a point one way or the other, or every one with `all`; then
// turning points and what each seat lost.
std::string RenderAnalysis(const DealAnalysis& analysis, bool all, const Style& style);

// One JSON object, on one line: points of the game as decimals, actions as in the engine protocol,
// null where nothing is known.
std::string AnalysisJson(const DealAnalysis& analysis);

}  // namespace tarot::tarotctl
