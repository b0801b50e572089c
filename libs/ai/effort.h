// What a level that samples spends and believes.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/style.h"

namespace tarot::ai {

// What a decision may cost when the caller does not say, in cards played; otherwise the caller's
// budget holds for both.
struct Effort {
  std::uint64_t node_budget = 80'000;  // Of play-outs: about 5 ms.
  std::uint64_t endgame_budget = 0;    // Of solved endings,
  // from so many tricks left on; by the players that hold cards.
  std::array<int, rules::kPlayersMax + 1> endgame_tricks{};
  int worlds_max = 400;          // More decide nothing, near the end, where they cost little.
  int plan_worlds_max = 400;     // For the call and the écart, which many points hang on.
  bool likely_discards = false;  // In most worlds the taker has laid away what players do.
  const StyleWeights* style = nullptr;  // Of half of the play-outs; the others, or all, by thumb.
};

}  // namespace tarot::ai
