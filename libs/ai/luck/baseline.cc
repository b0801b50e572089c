#include "libs/ai/luck/baseline.h"

#include <cmath>

#include "libs/ai/luck/replay.h"

namespace tarot::ai {
namespace {

// Returns a seed that depends on the cards of the deal and on its dealer.
std::uint64_t SeedOf(const rules::Deal& dealt) {
  std::uint64_t seed = kBaselinePolicy;
  const auto mix = [&seed](std::uint64_t word) { seed = Rng(seed ^ word).Next(); };
  mix(static_cast<std::uint64_t>(dealt.players * 8 + dealt.dealer));
  for (const rules::CardSet hand : dealt.dealt) {
    mix(hand.suits());
    mix(hand.trumps());
  }
  return seed;
}

}  // namespace

Baseline ComputeBaseline(const rules::Deal& dealt, double bid_shift) {
  std::array<ReplayBot, rules::kPlayersMax> bots;
  bots.fill({.bid_shift = bid_shift});
  Replayer replayer(dealt);
  Rng rng(SeedOf(dealt));
  std::array<double, rules::kPlayersMax> sum{};
  double squares = 0;
  for (int i = 0; i < kBaselineReplays; ++i) {
    const auto scores = replayer.Play(bots, rng);
    for (std::size_t seat = 0; seat < scores.size(); ++seat) {
      sum[seat] += scores[seat];
      squares += static_cast<double>(scores[seat]) * scores[seat];
    }
  }
  Baseline baseline;
  double variance = squares / kBaselineReplays;
  for (std::size_t seat = 0; seat < sum.size(); ++seat) {
    const double mean = sum[seat] / kBaselineReplays;
    baseline.mean_scores[seat] = mean;
    variance -= mean * mean;
  }
  baseline.deviation = std::sqrt(variance / dealt.playing);
  return baseline;
}

}  // namespace tarot::ai
