// Counts lines of play, for golden tables: a change of any rule changes a number.
#pragma once

#include <cstdint>

#include "libs/rules/deal.h"

namespace tarot::rules {

struct PerftCount {
  std::uint64_t lines = 0;     // Lines of play: `depth` actions long, or to the end of the deal.
  std::uint64_t finished = 0;  // Lines that ended the deal.
  // Over the finished lines: the sum of the taker's scores (where every seat plays alone, of the
  // seat after the dealer), and of the half points of the attack.
  std::int64_t taker_sum = 0;
  std::int64_t half_sum = 0;
  friend bool operator==(const PerftCount&, const PerftCount&) = default;
};

// Counts every bid, call, slam announcement and card that the rules allow, `depth` actions deep.
// Two choices have too many variants to count: the écart is always the lowest cards that may go,
// and no seat shows a handful.
PerftCount Perft(const Deal& deal, int depth);

}  // namespace tarot::rules
