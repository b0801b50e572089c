#include "libs/ai/standard_error.h"

#include <cmath>
#include <cstdint>

namespace tarot::ai {

std::optional<int> ErrorOfMean(absl::Span<const int> differences, int unit) {
  const std::size_t size = differences.size() / kErrorGroups;
  if (size == 0) return std::nullopt;
  // All sums are whole numbers below 2^53, so the result is the same on every machine.
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (std::size_t group = 0; group < kErrorGroups; ++group) {
    std::int64_t part = 0;
    for (const int difference : differences.subspan(group * size, size)) part += difference;
    sum += part;
    squares += part * part;
  }
  constexpr std::int64_t kGroups = kErrorGroups;
  const auto spread = static_cast<double>(kGroups * squares - sum * sum);
  const auto count = static_cast<double>(kGroups * static_cast<std::int64_t>(size));
  return static_cast<int>(std::lround(unit * std::sqrt(spread / (kErrorGroups - 1)) / count));
}

int ErrorOfSum(int one, int other) {
  const auto squares = static_cast<double>(std::int64_t{one} * one + std::int64_t{other} * other);
  return static_cast<int>(std::lround(std::sqrt(squares)));
}

}  // namespace tarot::ai
