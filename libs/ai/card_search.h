// What the sampling levels do about the next card: they deal the unseen cards in many ways that fit
// what they know, play or solve each, and choose what was best on average in points of the game.
#pragma once

#include "libs/ai/effort.h"
#include "libs/ai/policy.h"

namespace tarot::ai {

// The viewer is in turn to play a card, and has no handful to show first.
Decision ChooseCard(const rules::View& view, Rng rng, const Request& request, const Effort& effort);

}  // namespace tarot::ai
