#include "libs/ai/luck/bid_shift.h"

#include <cstdlib>
#include <map>

#include "libs/ai/arena.h"
#include "libs/ai/luck/baseline.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"

namespace tarot::ai {
namespace {

using ByPlace = std::array<double, rules::kPlayersMax>;

std::size_t PlaceOf(int seat, rules::Seat dealer, int player_count) {
  return static_cast<std::size_t>((seat - dealer - 1 + player_count) % player_count);
}

// Returns how well the baselines explain the scores, from 0 to 1. This is the share of the variance
// of the scores that a linear regression on the baselines explains.
double Explained(const rules::RuleSet& rules, absl::Span<const LuckSample> samples,
                 double bid_shift) {
  const auto n = static_cast<int>(samples[0].scores.size());
  std::vector<Baseline> baselines;
  ByPlace means{};
  for (const LuckSample& sample : samples) {
    baselines.push_back(ComputeBaseline(sample.Dealt(rules), bid_shift));
    for (int seat = 0; seat < n; ++seat) {
      means[PlaceOf(seat, sample.dealer, n)] +=
          baselines.back().mean_scores[static_cast<std::size_t>(seat)] /
          static_cast<double>(samples.size());
    }
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (int seat = 0; seat < n; ++seat) {
      const double x = baselines[i].mean_scores[static_cast<std::size_t>(seat)] -
                       means[PlaceOf(seat, samples[i].dealer, n)];
      const double y = samples[i].scores[static_cast<std::size_t>(seat)];
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
  }
  return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

}  // namespace

int FitBidShift(const rules::RuleSet& rules, absl::Span<const LuckSample> samples) {
  TAROT_CHECK(!samples.empty());
  std::map<int, double> explained;
  const auto value = [&](int shift) {
    if (std::abs(shift) > kBidShiftMax) return -1.0;
    const auto [at, is_new] = explained.try_emplace(shift, 0);
    if (is_new) at->second = Explained(rules, samples, shift);
    return at->second;
  };
  int best = 0;
  for (const int step : {4, 2, 1}) {
    for (;;) {
      int next = best;
      for (const int shift : {best - step, best + step}) {
        if (value(shift) > value(next)) next = shift;
      }
      if (next == best) break;
      best = next;
    }
  }
  return best;
}

std::array<double, rules::kPlayersMax> PlaceMeans(const rules::RuleSet& rules, int player_count,
                                                  double bid_shift, int deals, std::uint64_t seed) {
  ByPlace means{};
  Rng rng(seed);
  for (int i = 0; i < deals; ++i) {
    const rules::Deal dealt = RandomDeal(rules, player_count, rng);
    const Baseline baseline = ComputeBaseline(dealt, bid_shift);
    for (int seat = 0; seat < player_count; ++seat) {
      means[PlaceOf(seat, dealt.dealer, player_count)] +=
          baseline.mean_scores[static_cast<std::size_t>(seat)] / deals;
    }
  }
  return means;
}

}  // namespace tarot::ai
