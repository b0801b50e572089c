// The pack as it comes back together after a deal, for tables that only cut it for the next one.
#pragma once

#include "libs/rules/deal.h"
#include "libs/rules/deck.h"

namespace tarot::rules {

// From the top: the écart, or the dog where it counts for the taker's camp; the tricks of that camp
// in the order they were won, each as its cards were played; the dog where it counts for the
// defence or for nobody; the tricks of the defence. Where everybody plays alone, the dog comes
// first and then the tricks by seat, from the one after the dealer.
// Of a deal that was not played: the hands as dealt, by seat from the one after the dealer, then
// the dog. Cards that have no order of their own (hands, dog, écart) lie in that of their numbers.
// The deal is over.
PackOrder GatheredPack(const Deal& deal);

}  // namespace tarot::rules
