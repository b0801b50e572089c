// What the sampling levels decide about the hand as a whole: everything before the first card, and
// handfuls. Ways to lay the unseen cards are played out by rules of thumb.
#pragma once

#include <optional>

#include "libs/ai/policy.h"

namespace tarot::ai {

// `request.node_budget` is not 0 here.

// A bid, a call, an écart, or whether to announce a slam; `view.phase` is before kPlaying.
Decision ChooseHand(const rules::View& view, Rng rng, const Request& request);

// The handful to show now; nullopt when there is none, or better none.
std::optional<Decision> ChooseHandful(const rules::View& view, Rng rng, const Request& request);

}  // namespace tarot::ai
