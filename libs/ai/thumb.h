// Rules of thumb: the whole play of `novice`, and the play-outs of the levels above it.
#pragma once

#include <vector>

#include "libs/ai/table.h"
#include "libs/rules/dog.h"

namespace tarot::ai {

// A legal card for the seat in turn. Looks at its own hand, at the table and at which cards are
// still to come (`held`), never at who holds them.
rules::Card ThumbCard(const Table& table);

// Plays `table` to its end, every seat by ThumbCard(); how many cards that took.
int ThumbPlayOut(Table& table);

// What a hand of a player who thinks of taking is worth, by the count of bouts, trumps, honours and
// lengths that beginners learn; `distribution` adds for voids and singletons.
int HandValue(rules::CardSet hand, bool distribution);

// Legal écarts, best first by honours saved and suits emptied; at least one, at most `count_max`.
// `keep` (a called card, or kNoCard) stays when it can.
std::vector<rules::CardSet> ThumbDiscards(rules::CardSet hand, const rules::DiscardRule& rule,
                                          rules::Card keep, int count_max);

// One of `calls`, which is not empty.
rules::Card ThumbCall(rules::CardSet hand, rules::CardSet calls);

// The cards to show for a handful of `size`, out of those that may be shown.
rules::CardSet HandfulCards(rules::CardSet choice, int size);

// True when a hand that leads takes every trick, whoever holds the other cards.
bool CertainSlam(rules::CardSet hand);

}  // namespace tarot::ai
