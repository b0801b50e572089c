// Linear regression by the normal equations.
#pragma once

#include <vector>

namespace tarot::ai {

class LeastSquares {
 public:
  explicit LeastSquares(std::size_t columns)
      : columns_(columns), squares_(columns * columns), products_(columns) {}

  void Add(const std::vector<double>& row, double target);
  // The weights with the least squared error plus a ridge penalty of `ridge`. 0 for a column that
  // is always 0.
  std::vector<double> Solve(double ridge) const;

 private:
  const std::size_t columns_;
  std::vector<double> squares_;
  std::vector<double> products_;
};

}  // namespace tarot::ai
