// Answers questions about the trick in play, from the facts that a view shows.
#pragma once

#include "libs/rules/view.h"

namespace tarot::ai {

// The viewer must be in turn to play a card, and `card` must be in its hand.

const rules::Trick& TrickInPlay(const rules::View& view);

// Returns whether the viewer plays first to the trick.
bool Leads(const rules::View& view);
// Returns whether the viewer plays last to the trick.
bool IsLast(const rules::View& view);
// Returns whether `card` would beat all cards of the trick so far.
bool Wins(const rules::View& view, rules::Card card);
// Returns whether the taker has no partner.
bool Alone(const rules::View& view);
// Returns the cards that would beat `winning`, the winning card of a trick.
rules::CardSet CardsAbove(rules::Card winning);

// The next functions need a trick with at least one card.

// Returns the card that wins the trick so far.
rules::Card WinningCard(const rules::View& view);
// Returns whether the winning seat is known to be in the other camp.
bool FoeWins(const rules::View& view);
// Returns whether the winning seat is known to be in the viewer's camp.
bool FriendWins(const rules::View& view);

}  // namespace tarot::ai
