// Corrects the values of cards. A search expects too much of the rest of a deal, because it sees
// the hidden cards of each world and the real players do not.
#pragma once

#include <array>

#include "libs/rules/view.h"

namespace tarot::ai {

// The correction is a line: corrected = offset * multiplier of the contract + slope * value.
struct PromiseLine {
  int offset = 0;    // In hundredths of a point, for a contract that multiplies by 1.
  int slope = 1000;  // In thousandths.
};

// A line holds for one part of the deal. Part 0 is the first card. The other cards are divided into
// six parts. The parts 1 to 5 have lines. The last part has none, because little is hidden there.
inline constexpr int kPromiseParts = 6;
// The roles are taker (0), partner (1) and defender (2).
using PromiseLines = std::array<std::array<PromiseLine, kPromiseParts>, 3>;
// The fitted lines. The index is the number of players minus 3. tools/lab/fit makes the lines
// (docs/bots.md, "To fit again").
extern const std::array<PromiseLines, 3> kPromiseLines;

// Returns the part of the deal for card number `card` (from 1) of a hand that had `cards` cards.
// Returns kPromiseParts for the last part, which has no line.
int PromisePart(int card, int cards);

// Returns `value`, the mean value of a card in the sampled worlds, after the correction. Both are
// in hundredths of a point. `view` is the view of the seat that decides. A higher value never gets
// the lower result. If the deal has no taker or is not scored by contracts, the result is `value`.
int HonestValue(const rules::View& view, int value);

}  // namespace tarot::ai
