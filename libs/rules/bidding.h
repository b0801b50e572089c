// Implements the auction and, with five players, the call (docs/rules.md sections 4 and 5).
#pragma once

#include "libs/rules/deal.h"

namespace tarot::rules {

// Returns the highest bid so far, or kPass if every bid so far is a pass.
Contract HighestBid(const Deal& deal);

// Returns the seat of the highest bid, or kNoSeat if every bid so far is a pass.
Seat HighestBidder(const Deal& deal);

// Checks whether the seat in turn may bid `contract`; kPass means that it passes.
Verdict CheckBid(const Deal& deal, Contract contract);

// Returns true when the auction is over: every seat that may bid has spoken, or the rule set has no
// bid above the highest bid so far.
bool AuctionOver(const Deal& deal);

// Returns the cards that a taker with `hand` may call. If the result is empty, the taker plays
// alone. With Call::kAnyCard the taker may call any card. With Call::kKingThenLower, the taker may
// call a King. If `hand` has all four Kings, the taker may also call a Queen. If `hand` also has
// all four Queens, the taker may also call a Knight. This rule continues down to the rank
// call_rank_min. With both values of Call, self_call may forbid the cards of `hand`:
// - With SelfCall::kForbidden, the taker may call no card of `hand`.
// - With SelfCall::kOnlyWithFourKings, the taker may call a card of `hand` only if `hand` has all
//   four Kings.
CardSet CallableCards(const RuleSet& rules, CardSet hand);

}  // namespace tarot::rules
