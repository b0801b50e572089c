// What deal_samples.cc writes, and the fit reads.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <vector>

#include "libs/ai/bid_features.h"

namespace tarot::ai {

inline constexpr int kFitWorlds = 64;  // Behind every mean of play-outs.

// Margins in half points.
struct SampledHand {
  bool known = false;
  std::array<int, 2> classic{};  // ClassicValue() without and with distribution.
  Features features{};
  struct PlayOuts {
    double mean = 0;
    double sd = 0;
  };
  std::array<PlayOuts, 2> play_outs;  // With the dog taken; and untouched.
  struct Ending {
    bool known = false;
    int margin = 0;
    int petit_au_bout = 0;
    int slam = 0;     // As rules::SlamOutcome.
    int handful = 0;  // Points, as the taker sees them.
    int partner = -1;
  };
  std::array<Ending, 3> endings;  // Dog taken; the taker's untouched; the defence's.
};

struct SampledDeal {
  std::uint64_t number = 0;
  std::vector<SampledHand> hands;  // By place in the order of play.
  bool whole = true;               // All hands are there, and their endings with the dog taken.
};

// By number of players from three, in the order of the deals' numbers. Lines that were cut off are
// left out.
std::array<std::vector<SampledDeal>, 3> ReadSamples(std::istream& in);

}  // namespace tarot::ai
