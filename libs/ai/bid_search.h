// The auction of the sampling levels: each contract by play-outs that the fit corrects
// (bid_model.h), against what a pass is worth.
#pragma once

#include "libs/ai/policy.h"
#include "libs/ai/style.h"

namespace tarot::ai {

// `request.node_budget` is not 0. Values are expectations in the points of the view's rules.
Decision ChooseBid(const rules::View& view, Rng rng, const Request& request);

// Which card to call, in common worlds, every other one played out in `style` unless it is nullptr.
Decision ChooseCall(const rules::View& view, Rng rng, const Request& request,
                    const StyleWeights* style);

}  // namespace tarot::ai
