#include "tools/lab/fit/least_squares.h"

#include <cmath>

namespace tarot::ai {

void LeastSquares::Add(const std::vector<double>& row, double target) {
  for (std::size_t i = 0; i < columns_; ++i) {
    products_[i] += row[i] * target;
    for (std::size_t j = 0; j < columns_; ++j) squares_[i * columns_ + j] += row[i] * row[j];
  }
}

std::vector<double> LeastSquares::Solve(double ridge) const {
  // Cholesky: squares + ridge = L * L^T.
  std::vector<double> lower = squares_;
  for (std::size_t i = 0; i < columns_; ++i) lower[i * columns_ + i] += ridge;
  for (std::size_t j = 0; j < columns_; ++j) {
    for (std::size_t i = j; i < columns_; ++i) {
      double sum = lower[i * columns_ + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i * columns_ + k] * lower[j * columns_ + k];
      lower[i * columns_ + j] = i == j ? std::sqrt(sum) : sum / lower[j * columns_ + j];
    }
  }
  std::vector<double> x = products_;
  for (std::size_t i = 0; i < columns_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i * columns_ + k] * x[k];
    x[i] /= lower[i * columns_ + i];
  }
  for (std::size_t i = columns_; i-- > 0;) {
    for (std::size_t k = i + 1; k < columns_; ++k) x[i] -= lower[k * columns_ + i] * x[k];
    x[i] /= lower[i * columns_ + i];
  }
  return x;
}

}  // namespace tarot::ai
