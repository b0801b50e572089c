// The auction and, with five players, the call (docs/rules.md sections 4 and 5).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// The highest bid so far; kPass when nobody took yet.
Contract HighestBid(const Deal& deal);

// The seat of the highest bid; kNoSeat when all have passed.
Seat HighestBidder(const Deal& deal);

// The cards that the holder of `hand` may call: Kings, and each lower rank when all higher ones are
// in hand, as the rule set allows. Empty when nothing may be called: then the taker plays alone.
CardSet CallableCards(const RuleSet& rules, CardSet hand);

}  // namespace tarot::rules
