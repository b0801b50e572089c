// Handfuls of trumps, shown before one's own first card (docs/rules.md section 8).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// Which levels 1..3 `seat` may show now, and the cards to choose from.
struct HandfulChoice {
  std::array<bool, 4> levels{};
  CardSet cards;
};
HandfulChoice ListHandfuls(const Deal& deal, Seat seat);

// Why `cards` may not be shown by `seat`, whose turn it is.
Verdict CheckHandful(const Deal& deal, Seat seat, CardSet cards);

// The level whose size is `count`; 0 when there is none.
int HandfulLevel(const RuleSet& rules, int players, int count);

}  // namespace tarot::rules
