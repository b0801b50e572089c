#include "libs/rules/trick.h"

namespace tarot::rules {

int WinningPosition(absl::Span<const Card> trick) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(trick.size()); ++i) {
    const Card leader = trick[static_cast<std::size_t>(best)];
    const Card card = trick[static_cast<std::size_t>(i)];
    if (card == kExcuse) continue;
    const bool beats = leader == kExcuse || (IsTrump(card) && !IsTrump(leader)) ||
                       (SuitOf(card) == SuitOf(leader) && RankOf(card) > RankOf(leader));
    if (beats) best = i;
  }
  return best;
}

}  // namespace tarot::rules
