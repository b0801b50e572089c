// Handfuls of trumps, shown before a seat's first card (docs/rules.md section 8).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// The levels 1..3 that a seat may show, and the cards that its handful may consist of.
struct HandfulChoice {
  std::array<bool, 4> levels{};
  CardSet cards;
};
HandfulChoice ListHandfuls(const Deal& deal, Seat seat);

// Returns why `seat`, whose turn it is, may not show `cards`; kOk when it may.
Verdict CheckHandful(const Deal& deal, Seat seat, CardSet cards);

// Returns the level of a handful of `count` cards; 0 when no level has that size.
int HandfulLevel(const RuleSet& rules, int players, int count);

}  // namespace tarot::rules
