// Breaks ties between cards as a club player would, where the search finds no real difference.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// In all of these the viewer is in turn, and the cards are legal.

// Returns how reluctant a player is to part with `card` in the trick in play. Among equally good
// cards the cheapest is played. Cards that these rules do not order have the same price.
int Price(const rules::View& view, rules::Card card);

// If `best` looks better than the cheaper `other` by at most this many standard errors of their
// difference, `other` is played. 0: only if the two are equal.
int Leniency(const rules::View& view, rules::Card best, rules::Card other);

// Returns whether play-outs give up `card` too soon, so that it is played only for a clear gain:
// the Excuse while other tricks remain to play it to, and the Petit led by a defender.
bool WantsReason(const rules::View& view, rules::Card card);

// Returns whether both cards are trumps that do equally well in this trick (both lose it, or both
// win it for sure), so that playing `high` wastes the better card. For a defender or partner,
// losing trumps below the 19 do not count: they may be in the way of the own camp.
bool Wastes(const rules::View& view, rules::Card high, rules::Card low);

}  // namespace tarot::ai
