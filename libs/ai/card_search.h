// Chooses a card for the levels that search. They sample worlds that agree with everything they
// know. In each world they play out or solve the deal after every card. They take the card with the
// best mean, in points of the game.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// Chooses a card for the viewer, whose turn it is to play a card. `knowledge` must be Know(view).
Decision ChooseCard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

}  // namespace tarot::ai
