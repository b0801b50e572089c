// Chooses a card for the levels that search. The search samples worlds that agree with all known
// facts. In each world it plays out or solves the deal after every card. It chooses the card with
// the best mean, in points of the game.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// Chooses a card for the viewer, whose turn it is to play a card. `knowledge` must be Know(view).
Decision ChooseCard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

}  // namespace tarot::ai
