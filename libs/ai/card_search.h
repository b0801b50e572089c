// Chooses a card for the levels that search. The search samples worlds that agree with all known
// facts. In each world, the search tries every card, and plays out or solves the rest of the deal.
// It chooses the card with the best mean. If cards are about equally good, tie_break.h decides.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// Chooses a card for the viewer, whose turn it is to play a card. `knowledge` must be Know(view).
Decision ChooseCard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

}  // namespace tarot::ai
