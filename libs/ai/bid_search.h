// The auction of the sampling levels: each contract by play-outs that the fit corrects
// (bid_model.h), against what a pass is worth.
#pragma once

#include "libs/ai/effort.h"
#include "libs/ai/policy.h"

namespace tarot::ai {

// `request.node_budget` is not 0. Values are expectations in the points of the view's rules.
Decision ChooseBid(const rules::View& view, Rng rng, const Request& request);

// Which card to call, in common worlds, every other one played out in the style of `effort`,
// which also says how many there are at most.
Decision ChooseCall(const rules::View& view, Rng rng, const Request& request, const Effort& effort);

}  // namespace tarot::ai
