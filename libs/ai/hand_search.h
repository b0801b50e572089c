// What the sampling levels decide about the hand as a whole beside the auction (bid_search.h): the
// écart, the slam and handfuls. Ways to lay the unseen cards are played out by rules of thumb; of
// the écart every other one in a learned style, where the level has one.
#pragma once

#include "libs/ai/effort.h"
#include "libs/ai/policy.h"

namespace tarot::ai {

// `request.node_budget` is not 0 here.

// Of `effort` count the style and `plan_worlds_max`.
Decision ChooseDiscard(const rules::View& view, Rng rng, const Request& request,
                       const Effort& effort);

// Whether to announce a slam.
Decision ChooseSlam(const rules::View& view, Rng rng, const Request& request);

// Whether a handful may be shown now.
bool HandfulIsDue(const rules::View& view);

// The handfuls that may be shown; `action` is the best of them. Values count from showing none.
struct HandfulAdvice {
  Decision decision;
  bool pays = false;   // The best of them is better shown than not.
  int without_it = 0;  // What is expected without, in hundredths of points.
};
HandfulAdvice AdviseHandful(const rules::View& view, Rng rng, const Request& request);

}  // namespace tarot::ai
