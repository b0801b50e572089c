#include "libs/ai/search.h"

#include "libs/ai/hand_search.h"

namespace tarot::ai {

Decision Sampling::Choose(const rules::View& view, Rng rng, const Request& request) const {
  Request hand = request;
  if (hand.node_budget == 0) hand.node_budget = effort_.node_budget;
  if (view.phase != rules::Phase::kPlaying) return ChooseHand(view, rng, hand);
  hand.node_budget /= 4;
  if (std::optional<Decision> shown = ChooseHandful(view, rng, hand)) return *shown;
  return ChooseCard(view, rng, request, effort_);
}

}  // namespace tarot::ai
