// Checks the handfuls of trumps that seats show before their first cards (docs/rules.md section 8).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// The handfuls that a seat may show now. `levels` is indexed by level 1..3. `cards` are the cards
// that may be in a handful of any of these levels.
struct HandfulChoice {
  std::array<bool, 4> levels{};
  CardSet cards;
};
HandfulChoice ListHandfuls(const Deal& deal, Seat seat);

// Returns why `seat`, which is in turn, may not show `cards`, or kOk if it may.
Verdict CheckHandful(const Deal& deal, Seat seat, CardSet cards);

// Returns the level of a handful of `count` cards, or 0 if no level has that size.
int HandfulLevel(const RuleSet& rules, int players, int count);

}  // namespace tarot::rules
