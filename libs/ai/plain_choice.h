// Which of two cards a club player would play, where the search finds no difference that counts.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// How much a player minds to part with `card` in the trick in play; the less the sooner. Legal
// cards of a viewer who is in turn. Cards that such rules do not order have the same price.
int Price(const rules::View& view, rules::Card card);

// By how many standard errors of their difference `best` may look better than `other`, the cheaper
// of the two, without being played: 0 where only equals are exchanged.
int Leniency(const rules::View& view, rules::Card best, rules::Card other);

// `card` is one that a club player parts with for a good reason only, and play-outs too soon: the
// Excuse, while there will be other tricks to play it to (in the last it would be lost), and the
// Petit that a defender leads.
bool WantsReason(const rules::View& view, rules::Card card);

// Both are trumps, and either does as well in this trick: it is lost with both, or won for certain.
// Who plays `high` throws the better card away. Where both lose, a defender's or partner's trumps
// below the 19 do not count: they may be in the way of his own camp.
bool Wastes(const rules::View& view, rules::Card high, rules::Card low);

}  // namespace tarot::ai
