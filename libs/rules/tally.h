// Counting a played deal: card points and bouts of the attack, the Excuse, the Petit au bout, the
// slam (docs/rules.md sections 7, 10, 11, 12).
#pragma once

#include "libs/rules/deal.h"

namespace tarot::rules {

// Position of the winner of a complete trick of `deal`, the last one included: there the Excuse
// wins when it was led by a camp that has won every trick so far.
int WinnerOfTrick(const Deal& deal, const Trick& trick, bool last);

// The result of a deal whose last card has been played.
DealResult Tally(const Deal& deal);

}  // namespace tarot::rules
