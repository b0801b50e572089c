// Who wins a trick, and where the Excuse goes.
#pragma once

#include "absl/types/span.h"
#include "libs/rules/cards.h"

namespace tarot::rules {

// Position in `trick` (complete or not, at least one card) of the card that is winning: the highest
// trump, else the highest card of the suit asked. The Excuse never wins here; an Excuse alone
// counts as winning. The Excuse that takes the last trick of a slam is the deal's business.
int WinningPosition(absl::Span<const Card> trick);

}  // namespace tarot::rules
