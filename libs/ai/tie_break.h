// Decides between cards that the search finds about equally good, as a club player would decide.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// For all functions, the viewer must be in turn to play a card, and the cards must be legal.

// Returns the price of `card` in the trick in play. The higher the price, the more a player wants
// to keep the card. The bot plays the cheapest of several equally good cards. All cards for which
// this function has no rule have the same price.
int Price(const rules::View& view, rules::Card card);

// Returns a limit, in standard errors, for the points of `best` minus the points of the cheaper
// card `other` in the play-outs. If this difference is at most the limit, the bot plays `other`. If
// it is greater, the bot plays `best`. If the limit is 0, the bot plays `other` only if the two
// cards are equal.
int Leniency(const rules::View& view, rules::Card best, rules::Card other);

// Returns whether play-outs tend to play `card` too early. The bot plays such a card only for a
// clear gain. While the hand has more than three cards, the result is true for the Excuse, and for
// a Petit that a defender leads.
bool WantsReason(const rules::View& view, rules::Card card);

// Returns whether both cards are trumps that do equally well in this trick. They do equally well if
// both lose the trick, or if both win it for sure. Then `high` would be wasted in this trick. For a
// defender or a partner, the result is false if `high` is a losing trump below the 19. Such a trump
// could later beat a trump of the seat's own camp, so the seat may want to lose it now.
bool Wastes(const rules::View& view, rules::Card high, rules::Card low);

}  // namespace tarot::ai
