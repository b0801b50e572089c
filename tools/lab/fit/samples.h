// The samples of the bidding fit, and linear regression.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <vector>

#include "libs/ai/bid_model.h"

namespace tarot::ai {

inline constexpr int kFitWorlds = 64;  // The number of play-outs of each PlayOuts::mean.

// One hand of a sampled deal. All margins are in half points.
struct SampledHand {
  bool known = false;
  std::array<int, 2> classic{};  // ClassicValue() without and with distribution.
  Features features{};
  struct PlayOuts {
    double mean = 0;
    double sd = 0;
  };
  // Index 0 is for contracts in which the taker takes the dog, index 1 for an untouched dog.
  std::array<PlayOuts, 2> play_outs;
  struct Ending {
    bool known = false;
    int margin = 0;
    int petit_au_bout = 0;
    int slam = 0;     // A rules::SlamOutcome as a number.
    int handful = 0;  // Points that the taker gets from each opponent.
    int partner = -1;
  };
  // Index 0: the taker took the dog. Index 1: the dog stayed untouched and counts for the taker.
  // Index 2: it counts for the defence.
  std::array<Ending, 3> endings;
};

struct SampledDeal {
  std::uint64_t number = 0;
  std::vector<SampledHand> hands;  // In the order of bidding.
  // True if every hand has an H line (deal_samples.cc), and none has an N line.
  bool whole = true;
};

// Reads samples. result[n - 3] has the deals of n players, in the order of their numbers. A hand
// whose line is incomplete is not `known`.
std::array<std::vector<SampledDeal>, 3> ReadSamples(std::istream& in);

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t columns)
      : columns_(columns), squares_(columns * columns), products_(columns) {}

  void Add(const std::vector<double>& row, double target);
  // Returns the weights that minimize the squared error plus `ridge` times the sum of the squared
  // weights. The weight of a column that is always 0 is 0.
  std::vector<double> Solve(double ridge) const;

 private:
  const std::size_t columns_;
  std::vector<double> squares_;
  std::vector<double> products_;
};

}  // namespace tarot::ai
