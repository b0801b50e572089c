// Breaks ties between cards as a club player would, where the search finds no real difference.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// These functions are for a view in which the viewer is in turn. The cards must be legal.

// Returns how reluctant a player is to give up `card` in the trick in play. The bot plays the
// cheapest of several equally good cards. Cards for which there is no rule have the same price.
int Price(const rules::View& view, rules::Card card);

// Returns a number of standard errors. If `best` looks better than the cheaper `other` by at most
// this number of standard errors of their difference, the bot plays `other`. 0 means that it does
// so only if the two are equal.
int Leniency(const rules::View& view, rules::Card best, rules::Card other);

// Returns whether play-outs give up `card` too soon. The bot then plays it only for a clear gain.
// Such cards are the Excuse and a Petit that a defender leads, while the hand has more than three
// cards.
bool WantsReason(const rules::View& view, rules::Card card);

// Returns whether both cards are trumps that do equally well in this trick: both lose it, or both
// win it for sure. Then to play `high` wastes the better card. Exception: a defender or a partner
// does not waste a losing trump below the 19, because this trump may hinder the seat's own camp
// later.
bool Wastes(const rules::View& view, rules::Card high, rules::Card low);

}  // namespace tarot::ai
