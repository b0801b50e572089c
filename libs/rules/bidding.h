// The auction and, with five players, the call (docs/rules.md sections 4 and 5).
#pragma once

#include "libs/rules/deal.h"

namespace tarot::rules {

// Returns the highest bid so far, or kPass if every bid so far is a pass.
Contract HighestBid(const Deal& deal);

// Returns the seat of the highest bid, or kNoSeat if every bid so far is a pass.
Seat HighestBidder(const Deal& deal);

// Checks whether the seat in turn may bid `contract`; kPass means that it passes.
Verdict CheckBid(const Deal& deal, Contract contract);

// Returns true when every seat that may bid has spoken, or when the rule set has no higher bid than
// the highest one so far.
bool AuctionOver(const Deal& deal);

// Returns the cards that a taker with `hand` may call. If the result is empty, the taker plays
// alone. With Call::kAnyCard the taker may call any card. Otherwise:
// - The taker may call a King. If `hand` has all four Kings, the taker may also call a Queen; if it
//   also has all Queens, a Knight; and so on down to the rank call_rank_min.
// - The taker may not call a card of `hand` if self_call is kForbidden, or if it is
//   kOnlyWithFourKings and `hand` does not have all four Kings.
CardSet CallableCards(const RuleSet& rules, CardSet hand);

}  // namespace tarot::rules
