// Makes the decisions of the levels that search, except the choice of a card: bid, call, écart,
// slam and handful. The functions play out sampled worlds. For a call and an écart, the seats play
// in the style of the SearchBudget in every second world, if it has a style. In all other play-outs
// they play by the heuristic.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// For all these functions, `knowledge` must be Know(view), and `request.node_budget` must not be 0.

// Chooses a bid. The play-outs and bid_model.h together give the value of each contract.
// PassPoints() computes the value of a pass from the margin that the seat can expect as taker;
// `budget.pass_penalty` is subtracted from it.
Decision ChooseBid(const rules::View& view, const Knowledge& knowledge, Rng rng,
                   const Request& request, const SearchBudget& budget);

// Chooses the card to call. The search tries all candidates in the same worlds.
Decision ChooseCall(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request, const SearchBudget& budget);

Decision ChooseDiscard(const rules::View& view, const Knowledge& knowledge, Rng rng,
                       const Request& request, const SearchBudget& budget);

// Decides whether to announce a slam.
Decision ChooseSlam(const rules::View& view, const Knowledge& knowledge, Rng rng,
                    const Request& request);

// Returns whether the rules allow the viewer to show a handful now.
bool HandfulIsDue(const rules::View& view);

// Advice about the handfuls that the seat may show. `decision.action` is the best handful. The
// value of a candidate is the gain compared with no handful, in hundredths of a point.
struct HandfulAdvice {
  Decision decision;
  bool pays = false;   // True if the best handful is clearly better than none.
  int without_it = 0;  // The expected points without a handful, in hundredths.
};
HandfulAdvice AdviseHandful(const rules::View& view, const Knowledge& knowledge, Rng rng,
                            const Request& request);

}  // namespace tarot::ai
