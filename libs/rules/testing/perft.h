// Counts lines of play for golden tables: if any rule changes, a number changes.
#pragma once

#include <cstdint>

#include "libs/rules/deal.h"

namespace tarot::rules {

struct PerftCount {
  // Number of lines of play. A line is `depth` actions long, or shorter if the deal ends.
  std::uint64_t lines = 0;
  std::uint64_t finished = 0;  // Number of lines that ended the deal.
  // Sums over the finished lines: the taker's scores, and the half points of the attack. Where
  // every seat plays alone, the seat after the dealer counts as the taker.
  std::int64_t taker_sum = 0;
  std::int64_t half_sum = 0;
  friend bool operator==(const PerftCount&, const PerftCount&) = default;
};

// Counts every bid, call, slam announcement and card that the rules allow, `depth` actions deep.
// Two choices have too many variants to count: the taker always lays away the lowest possible
// cards, and no seat shows a handful.
PerftCount Perft(const Deal& deal, int depth);

}  // namespace tarot::rules
