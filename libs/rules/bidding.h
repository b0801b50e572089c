// The auction and, with five players, the call (docs/rules.md sections 4 and 5).
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// The highest bid so far; kPass when nobody took yet.
Contract HighestBid(const Deal& deal);

// The seat of the highest bid; kNoSeat when all have passed.
Seat HighestBidder(const Deal& deal);

// Whether the seat in turn may bid `contract` or pass.
Verdict CheckBid(const Deal& deal, Contract contract);

// True when nobody is left to speak, or nothing is left to bid above the highest bid.
bool AuctionOver(const Deal& deal);

// The cards that the holder of `hand` may call: Kings, and each lower rank when all higher ones are
// in hand, as the rule set allows; or any card. Empty when nothing may be called: then the taker
// plays alone.
CardSet CallableCards(const RuleSet& rules, CardSet hand);

}  // namespace tarot::rules
