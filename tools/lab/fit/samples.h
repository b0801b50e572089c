// The samples of the fits, and linear regression by the normal equations.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <vector>

#include "libs/ai/bid_model.h"

namespace tarot::ai {

inline constexpr int kFitWorlds = 64;  // Number of play-outs behind every mean.

// One hand of a sampled deal. All margins are in half points.
struct SampledHand {
  bool known = false;
  std::array<int, 2> classic{};  // ClassicValue() without and with distribution.
  Features features{};
  struct PlayOuts {
    double mean = 0;
    double sd = 0;
  };
  // The play-outs of contracts in which the dog is taken (index 0) and in which it is not taken
  // (index 1).
  std::array<PlayOuts, 2> play_outs;
  struct Ending {
    bool known = false;
    int margin = 0;
    int petit_au_bout = 0;
    int slam = 0;     // A rules::SlamOutcome as a number.
    int handful = 0;  // Points for the taker.
    int partner = -1;
  };
  // Three ways to end the deal: with the dog taken; with the dog untouched and counted for the
  // taker; with the dog untouched and counted for the defence.
  std::array<Ending, 3> endings;
};

struct SampledDeal {
  std::uint64_t number = 0;
  std::vector<SampledHand> hands;  // The hands, in the order of play.
  // True if every hand has an H line (deal_samples.cc).
  bool whole = true;
};

// Reads samples. The result is indexed by the number of players, from three, and has the deals in
// the order of their numbers. Skips incomplete lines.
std::array<std::vector<SampledDeal>, 3> ReadSamples(std::istream& in);

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t columns)
      : columns_(columns), squares_(columns * columns), products_(columns) {}

  void Add(const std::vector<double>& row, double target);
  // Returns the weights with the least squared error plus a ridge penalty of `ridge`. For a column
  // that is always 0, returns 0.
  std::vector<double> Solve(double ridge) const;

 private:
  const std::size_t columns_;
  std::vector<double> squares_;
  std::vector<double> products_;
};

}  // namespace tarot::ai
