// Counts what happens after a card in sampled layouts of the hidden cards. The counts explain why
// one card is better than another. They give no value.
#pragma once

#include <array>

#include "libs/ai/knowledge.h"
#include "libs/base/rng.h"

namespace tarot::ai {

// How often an event happens after one card, in thousandths of the sampled layouts.
struct EventShares {
  int trick = 0;         // The seat's camp wins the trick in play.
  int petit_lost = 0;    // The other camp wins a Petit of the seat's camp.
  int petit_caught = 0;  // The seat's camp wins a Petit of the other camp.
  // The Petit is in the last trick of the deal, and the seat's camp wins this trick.
  int petit_last = 0;
};

struct SampledEvents {
  std::array<EventShares, 2> shares;  // After the played card, and after the better card.
  // How many more half points the better card brings to the seat's camp, as a mean over the
  // layouts, and the standard error of this mean. Both are in hundredths.
  int difference = 0;
  int difference_error = 0;
};

// Plays `played` and `better` in 400 layouts that agree with what the viewer knows, and plays each
// deal to its end. In half of the layouts, the players of the play-outs follow the heuristic, and
// in the other half the learned style. Returns the shares for `played` and for `better`. `view`
// must be the view of the seat in turn in the play of a deal with a taker, and `knowledge` must be
// Know(view).
SampledEvents SampleEvents(const rules::View& view, const Knowledge& knowledge, rules::Card played,
                           rules::Card better, Rng rng);

}  // namespace tarot::ai
