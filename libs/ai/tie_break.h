// Breaks ties between cards as a club player would, where the search finds no real difference.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// All functions need a view in which the viewer is in turn to play a card, and cards that are
// legal.

// Returns the price of `card` in the trick in play: the higher the price, the more a player wants
// to keep the card. The bot plays the cheapest of several equally good cards. Cards for which this
// function has no rule have the same price.
int Price(const rules::View& view, rules::Card card);

// Returns a limit for the lead of `best` over the cheaper `other`, in standard errors of this lead.
// If the lead is not above the limit, the bot plays `other`. With the limit 0, the bot plays
// `other` only if the two are equal.
int Leniency(const rules::View& view, rules::Card best, rules::Card other);

// Returns whether play-outs tend to play `card` too early. The bot plays such a card only for a
// clear gain. Such cards are the Excuse and a Petit that a defender leads, while the hand has more
// than three cards.
bool WantsReason(const rules::View& view, rules::Card card);

// Returns whether both cards are trumps that do equally well in this trick: both lose it, or both
// win it for sure. In this case, to play `high` wastes the better card. For a defender or a
// partner, the result is false if `high` is a losing trump below the 19. Such a trump, if kept,
// could later beat a trump of the seat's own camp.
bool Wastes(const rules::View& view, rules::Card high, rules::Card low);

}  // namespace tarot::ai
