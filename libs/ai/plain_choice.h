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

// `best` is the Excuse, and there will be other tricks to play it to: in the last it would be lost.
bool MayKeepExcuse(const rules::View& view, rules::Card best);

}  // namespace tarot::ai
