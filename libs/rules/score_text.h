// Explains the score of a deal: the unit as arithmetic, and why a taker played alone.
#pragma once

#include <cstdint>
#include <string>

#include "libs/rules/deal.h"

namespace tarot::rules {

// Returns DealResult::score.unit as arithmetic, for example "(25 + 20) × 2 + 20 = 110" or
// "-(25 + 7) × 1 + 10 × 1 - 20 = -42". Returns "" for a deal without a score, and for a deal in
// which each seat plays alone.
//
// The terms are, from the left: the contract, the Petit au bout, the handfuls, the slam. A term of
// zero is left out. A Petit au bout that counts in the card points has no term, because it is a
// part of the difference. Practice games 2 and 3 have only the contract: "12 × 2 = 24". If rounding
// changes the score, the text ends for example with "= 64, rounded to 60".
std::string UnitArithmetic(const Deal& deal);

// Says why the taker of a scored deal with five players had no partner.
enum class Alone : std::uint8_t {
  kNone,           // The taker had a partner, or the deal has no call.
  kCalledOwnCard,  // The called card was in the taker's hand.
  kCalledCardInDog,
  kCalledNoCard
};

Alone WhyAlone(const Deal& deal);

}  // namespace tarot::rules
