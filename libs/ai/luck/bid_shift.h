// Fits the bid shift: the number that the bots of the replays add to the value of a hand before
// they bid. Also measures the mean baseline of each place (docs/luck.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/rules/deal.h"

namespace tarot::ai {

// One deal of a season of a ladder: its cards, and the scores of its players.
struct LuckSample {
  rules::Seat dealer = 0;
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet dog;
  std::vector<int> scores;  // The score of each seat; all are zero if all players passed.

  // Returns the deal as it was dealt.
  rules::Deal Dealt(const rules::RuleSet& rules) const {
    return StartDeal(rules, static_cast<int>(scores.size()), dealer, hands, dog);
  }
};

inline constexpr int kBidShiftMax = 30;

// Returns the bid shift with which the baselines explain the largest share of the variance of the
// scores. It is a whole number from -kBidShiftMax to kBidShiftMax. `samples` must not be empty, and
// a good fit needs thousands of deals. The function computes about ten baselines for each deal.
int FitBidShift(const rules::RuleSet& rules, absl::Span<const LuckSample> samples);

// Returns the mean baseline of each place over `deals` random deals. Place 0 is the seat after the
// dealer.
std::array<double, rules::kPlayersMax> PlaceMeans(const rules::RuleSet& rules, int player_count,
                                                  double bid_shift, int deals, std::uint64_t seed);

}  // namespace tarot::ai
