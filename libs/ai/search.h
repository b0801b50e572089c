// Levels `club` and `strong`: deals the unseen cards in many ways that fit what it knows, plays
// each out by rules of thumb, and does what was best on average in points of the game. `strong`
// solves the last tricks of each way instead (endgame.h).
#pragma once

#include <array>

#include "libs/ai/policy.h"

namespace tarot::ai {

// What a decision may cost when the caller does not say, in cards played; otherwise the caller's
// budget holds for both.
struct Effort {
  std::uint64_t node_budget = 80'000;  // Of play-outs: about 5 ms.
  std::uint64_t endgame_budget = 0;    // Of solved endings,
  // from so many tricks left on; by the players that hold cards.
  std::array<int, rules::kPlayersMax + 1> endgame_tricks{};
};

inline constexpr Effort kClub;
// Endings of about 25 ms. The solver sees all hands, so whoever believes it plays as if they were
// going to be seen: harmful while much is hidden. From seven tricks of five players it loses points
// (docs/bench.md).
inline constexpr Effort kStrong{.endgame_budget = 300'000, .endgame_tricks = {0, 0, 0, 7, 7, 0}};

class Sampling final : public Policy {
 public:
  explicit Sampling(const Effort& effort) : effort_(effort) {}
  Decision Choose(const rules::View& view, Rng rng, std::uint64_t node_budget) const override;

 private:
  const Effort effort_;
};

}  // namespace tarot::ai
