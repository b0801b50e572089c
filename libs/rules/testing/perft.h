// Counts the ways in which a deal can continue ("lines"). A test compares the counts with a stored
// table, so it fails if a rule changes.
#pragma once

#include <cstdint>

#include "libs/rules/deal.h"

namespace tarot::rules {

struct PerftCount {
  // Number of lines. A line is a sequence of `depth` actions, or of fewer actions if they end the
  // deal.
  std::uint64_t lines = 0;
  std::uint64_t finished = 0;  // Number of lines that ended the deal.
  // Sums over the finished lines: `taker_sum` is the sum of the taker's scores, and `half_sum` the
  // sum of the attack's half points. With Teams::kEveryoneAlone the seat after the dealer counts as
  // the taker.
  std::int64_t taker_sum = 0;
  std::int64_t half_sum = 0;
  friend bool operator==(const PerftCount&, const PerftCount&) = default;
};

// Counts the lines of `depth` actions. The count covers every bid, call, slam announcement and card
// that the rules allow. It leaves out most discards and all handfuls, because there are too many of
// them. The taker always lays aside the cards with the lowest numbers, and no seat shows a handful.
PerftCount Perft(const Deal& deal, int depth);

}  // namespace tarot::rules
