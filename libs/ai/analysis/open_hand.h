// A decision of the play judged with every hand known.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::ai {

struct OpenJudgement {
  struct Loss {
    rules::Card card = rules::kNoCard;
    int points = 0;  // Hundredths of a point less than the best card, to the seat in turn.
  };
  std::vector<Loss> losses;  // Of every legal card; empty when the nodes ran out.
  // Half points of the attack above what its bouts ask for, when both camps play their best.
  std::optional<int> margin;
  std::optional<bool> contract_made;
};

// `view` is what the seat in turn of `deal` sees. Nothing is known where nobody plays for a
// contract, or outside the play. At most about `node_cap` cards are played.
OpenJudgement JudgeOpen(const rules::Deal& deal, const rules::View& view, std::uint64_t node_cap);

}  // namespace tarot::ai
