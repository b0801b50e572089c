// How the searching levels decide about the hand as a whole: bid, call, écart, slam and handful.
// They play out sampled worlds. Where a function takes a SearchBudget, every other play-out uses
// its style and all others the heuristic.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// In all of these `knowledge` is Know(view), and `request.node_budget` is not 0.

// The value of each contract comes from play-outs that bid_model.h corrects; the value of a pass
// from bid_model.h alone.
Decision ChooseBid(const rules::View& view, const Knowledge& knowledge, Rng rng,
                   const Request& request);

// Returns the card to call. All cards are compared in the same worlds.
Decision ChooseCall(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

Decision ChooseDiscard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                       const Request& request, const SearchBudget& budget);

// Returns whether to announce a slam.
Decision ChooseSlam(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request);

// Returns whether the viewer may show a handful now.
bool HandfulIsDue(const rules::View& view);

// Advice about the handfuls that may be shown. `decision.action` is the best of them; values are
// differences to showing none.
struct HandfulAdvice {
  Decision decision;
  bool pays = false;   // It is better to show the best of them than none.
  int without_it = 0;  // The expected points without a handful, in hundredths.
};
HandfulAdvice AdviseHandful(const rules::View& view, const Knowledge& knowledge, Rng rng,
                            const Request& request);

}  // namespace tarot::ai
