// How the searching levels choose a card: they sample worlds that agree with everything they know,
// play out or solve each after every card, and take the best mean in points of the game.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// The viewer is in turn to play a card; `knowledge` is Know(view).
Decision ChooseCard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

}  // namespace tarot::ai
