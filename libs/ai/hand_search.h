// Decides about the hand as a whole for the levels that search: bid, call, écart, slam and handful.
// The functions play out sampled worlds. If a function gets a SearchBudget with a style, the seats
// use this style in every second world. In all other play-outs they use the heuristic.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// For all these functions, `knowledge` must be Know(view), and `request.node_budget` must not be 0.

// Chooses a bid. Play-outs, corrected by bid_model.h, give the value of each contract. The value of
// a pass comes from bid_model.h alone, less the penalty of `budget`.
Decision ChooseBid(const rules::View& view, const Knowledge& knowledge, Rng rng,
                   const Request& request, const SearchBudget& budget);

// Chooses the card to call. The search compares all cards in the same worlds.
Decision ChooseCall(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

Decision ChooseDiscard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                       const Request& request, const SearchBudget& budget);

// Decides whether to announce a slam.
Decision ChooseSlam(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request);

// Returns whether the rules allow the viewer to show a handful now.
bool HandfulIsDue(const rules::View& view);

// Advice about the handfuls that the seat may show. `decision.action` is the best of them. The
// candidates' values are differences from the value without a handful.
struct HandfulAdvice {
  Decision decision;
  bool pays = false;   // True if the best handful is clearly better than none.
  int without_it = 0;  // The expected points without a handful, in hundredths.
};
HandfulAdvice AdviseHandful(const rules::View& view, const Knowledge& knowledge, Rng rng,
                            const Request& request);

}  // namespace tarot::ai
