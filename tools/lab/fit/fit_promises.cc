// The fit of the promises: `tarot-lab fit promises` plays deals and prints
// libs/ai/promise_weights.cc. A promise is the score that a seat expects when it plays a card. All
// seats play as `expert`, with a small budget and without the correction that is fitted here. For
// each role and each part of the deal, least squares fit a line from the promises to the scores at
// the end, both divided by the contract's multiplier. The fit adds some imagined promises that came
// true to the data of each line, so a line from few deals corrects little.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libs/ai/promise_model.h"
#include "libs/ai/search_policy.h"
#include "tools/lab/fit/fit.h"
#include "tools/lab/promises/promises.h"

namespace tarot::ai {
namespace {

constexpr std::uint64_t kNodes = 20'000;  // The budget of one decision.
constexpr double kImagined = 10;          // The number of imagined promises for each line.
constexpr double kImaginedSpread = 40;    // Their standard deviation, in points.

// The sums for one line.
struct Sums {
  double count = 0, value = 0, result = 0, squares = 0, products = 0;
};

PromiseLine LineOf(const Sums& sums) {
  const double imagined_squares = kImagined * kImaginedSpread * kImaginedSpread;
  const double count = sums.count + kImagined;
  const double value = sums.value / count;
  const double result = sums.result / count;
  const double squares = sums.squares + imagined_squares - count * value * value;
  const double products = sums.products + imagined_squares - count * value * result;
  const double slope = std::clamp(products / squares, 0.3, 1.3);
  return {.offset = static_cast<int>(std::lround(100 * (result - slope * value))),
          .slope = static_cast<int>(std::lround(1000 * slope))};
}

}  // namespace

void FitPromises(int deals, std::uint64_t seed) {
  SearchBudget budget = kExpert;
  budget.honest_values = false;
  const SearchPolicy policy(budget);
  std::printf(
      "// Made by tools/lab/fit/fit_promises.cc, which describes the method; docs/bots.md names "
      "the data.\n#include \"libs/ai/promise_model.h\"\n\nnamespace tarot::ai {\n\n"
      "const std::array<PromiseLines, 3> kPromiseLines{{\n");
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    std::array<std::array<Sums, kPromiseParts>, 3> sums{};
    for (const lab::Promise& promise : lab::CollectPromises(policy, players, deals, seed, kNodes)) {
      const int part = PromisePart(promise.card, promise.cards);
      if (part >= kPromiseParts) continue;
      Sums& cell = sums[static_cast<std::size_t>(promise.role)][static_cast<std::size_t>(part)];
      const double value = promise.value / promise.multiplier;
      const double result = promise.result / promise.multiplier;
      ++cell.count;
      cell.value += value;
      cell.result += result;
      cell.squares += value * value;
      cell.products += value * result;
    }
    std::printf("{{");
    for (const auto& role : sums) {
      std::printf("{{");
      for (const Sums& cell : role) {
        const PromiseLine line = LineOf(cell);
        std::printf("{%d, %d}, ", line.offset, line.slope);
      }
      std::printf("}}, ");
    }
    std::printf("}},\n");
  }
  std::printf("}};\n\n}  // namespace tarot::ai\n");
}

}  // namespace tarot::ai
