// The auction and, with five players, the call (docs/rules.md sections 4 and 5).
#pragma once

#include "libs/rules/deal.h"

namespace tarot::rules {

// Returns the highest bid so far, or kPass before the first bid.
Contract HighestBid(const Deal& deal);

// Returns the seat of the highest bid, or kNoSeat when every seat has passed.
Seat HighestBidder(const Deal& deal);

// Checks whether the seat in turn may bid `contract`; kPass means that it passes.
Verdict CheckBid(const Deal& deal, Contract contract);

// Returns true when every seat has spoken, or no bid above the highest one is left.
bool AuctionOver(const Deal& deal);

// Returns the cards that a taker with `hand` may call. These are the Kings. If the hand has all
// four Kings, they include the Queens; if it has all Queens too, the Knights; and so on down to
// call_rank_min. With Call::kAnyCard the taker may call any card. If the result is empty, the taker
// plays alone.
CardSet CallableCards(const RuleSet& rules, CardSet hand);

}  // namespace tarot::rules
