// Counts lines of play, for golden tables: a change of any rule changes a number.
#pragma once

#include <cstdint>

#include "libs/rules/deal.h"

namespace tarot::rules {

struct PerftCount {
  std::uint64_t lines = 0;     // Different ways on: each `depth` actions long, or to the end.
  std::uint64_t finished = 0;  // Of these, how many ended the deal,
  std::int64_t taker_sum = 0;  // and the sums over them of what the taker scored (where everybody
                               // plays alone: the seat after the dealer)
  std::int64_t half_sum = 0;   // and of the half points of the attack.
  friend bool operator==(const PerftCount&, const PerftCount&) = default;
};

// Every bid, call, announcement of a slam and card that the rules allow, `depth` actions deep. Two
// choices are left out, for there are too many: the écart is the lowest cards allowed (trumps that
// must go among them), and nobody shows a handful.
PerftCount Perft(const Deal& deal, int depth);

}  // namespace tarot::rules
