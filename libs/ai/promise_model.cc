#include "libs/ai/promise_model.h"

#include <algorithm>

namespace tarot::ai {

int PromisePart(int card, int cards) { return card == 1 ? 0 : 1 + 6 * (card - 1) / cards; }

int HonestValue(const rules::View& view, int value) {
  if (view.taker == rules::kNoSeat || view.rules.scoring != rules::Scoring::kNormal) return value;
  const int part = PromisePart(view.trick_count, view.hand.Size() + view.trick_count - 1);
  if (part >= kPromiseParts) return value;
  const std::size_t role = view.viewer == view.taker ? 0 : view.viewer == view.partner ? 1 : 2;
  const PromiseLine& line = kPromiseLines[static_cast<std::size_t>(view.playing - 3)][role]
                                         [static_cast<std::size_t>(part)];
  return line.offset * view.rules.Multiplier(view.contract) + value * line.slope / 1000;
}

}  // namespace tarot::ai
