// Makes all decisions of the levels that search, except the choice of a card: bid, call, écart,
// slam and handful. The functions play out sampled worlds by the heuristic. There is one exception:
// for a call and an écart, the seats play every second world in the style of the SearchBudget, if
// it has a style.
#pragma once

#include "libs/ai/knowledge.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

// For all these functions, `knowledge` must be Know(view), and `request.node_budget` must not be 0.

// Chooses a bid. The play-outs and bid_model.h together give the value of each contract.
// PassPoints() gives the value of a pass, from the margin that the seat can expect as taker. From
// the value of a pass, the function subtracts `budget.pass_penalty`.
Decision ChooseBid(const rules::View& view, const Knowledge& knowledge, Rng rng,
                   const Request& request, const SearchBudget& budget);

// Chooses the card to call. The search compares all candidates in the same worlds.
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
// value of a candidate says how many more points the seat expects with this handful than without a
// handful, in hundredths of a point. If `request.consider` is set, `difference_error` is the
// standard error of this value.
struct HandfulAdvice {
  Decision decision;
  bool pays = false;   // True if the best handful is clearly better than none.
  int without_it = 0;  // The expected points without a handful, in hundredths.
};
HandfulAdvice AdviseHandful(const rules::View& view, const Knowledge& knowledge, Rng rng,
                            const Request& request);

}  // namespace tarot::ai
