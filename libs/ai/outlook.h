// How taking a deal would end in one guess at the hidden cards, played out.
#pragma once

#include <cstdint>

#include "libs/ai/style.h"
#include "libs/ai/table.h"

namespace tarot::ai {

// What the formula asks once `view.viewer`, who has not played yet, has taken with `contract` and
// called `call` (kNoCard: nobody), in `world`, which still holds the dog aside. Adds the cards that
// were played to `nodes`. By rules of thumb, or in `style` if there is one.
rules::ScoreInput PlayedOut(const rules::View& view, const World& world, rules::Contract contract,
                            rules::Card call, std::uint64_t& nodes,
                            const StyleWeights* style = nullptr);

// What the attack has beyond what the federation's rules ask for its bouts, in half points.
int MarginOf(const rules::ScoreInput& input);

}  // namespace tarot::ai
